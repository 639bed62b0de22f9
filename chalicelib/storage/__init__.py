"""The one room that speaks DynamoDB."""
