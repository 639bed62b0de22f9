"""What well-known vendors are for, so that a search by purpose reaches their tools."""

from typing import Final

ROWS: Final = """
payment: stripe paypal square adyen braintree mollie klarna razorpay gocardless paddle
accounting: xero quickbooks freshbooks sage netsuite datev lexoffice
invoice: xero quickbooks freshbooks
crm: hubspot salesforce pipedrive zoho attio copper
helpdesk: zendesk freshdesk intercom helpscout gorgias front
support: zendesk freshdesk intercom helpscout gorgias
email: gmail outlook mailgun sendgrid postmark mailchimp fastmail resend
newsletter: mailchimp klaviyo brevo convertkit
chat: slack teams discord mattermost telegram whatsapp
dm: slack teams discord mattermost telegram whatsapp instagram linkedin
sms: twilio vonage messagebird plivo
meeting: zoom webex teams calendly
calendar: calendly outlook
wiki: notion confluence coda
note: notion evernote obsidian
task: asana trello todoist clickup jira linear monday
issue: jira linear github gitlab bitbucket youtrack
git: github gitlab bitbucket gitea
repository: github gitlab bitbucket gitea
ci: circleci jenkins buildkite travis
incident: pagerduty opsgenie incidentio statuspage
monitoring: datadog grafana newrelic prometheus dynatrace
error: sentry rollbar bugsnag
cloud: aws azure gcp digitalocean heroku hetzner linode
hosting: vercel netlify heroku
cdn: cloudflare fastly akamai
dns: cloudflare route53 namecheap
database: postgres mysql mongodb supabase redis dynamodb airtable snowflake bigquery
spreadsheet: airtable sheets excel smartsheet
storage: dropbox box drive s3 onedrive
ecommerce: shopify woocommerce magento bigcommerce etsy amazon
shop: shopify woocommerce magento bigcommerce etsy
music: spotify soundcloud tidal deezer sonos
weather: openweather accuweather weatherapi
hr: bamboohr workday personio gusto rippling
recruiting: greenhouse lever ashby
form: typeform jotform surveymonkey
design: figma canva miro
analytics: mixpanel amplitude posthog segment plausible
signature: docusign hellosign pandadoc
social: twitter facebook instagram linkedin mastodon bluesky tiktok
video: youtube vimeo loom
map: mapbox googlemaps here
travel: amadeus skyscanner airbnb expedia
"""
