"""Money, trade, customers and marketing."""

from typing import Final

ROWS: Final = """
money cash funds | payment balance amount payout revenue account transfer
invoice bill | charge receipt payment statement billing sales
bill | expense supplier payable
accounts_payable > bill supplier
accounts_receivable > invoice customer
billing | invoice subscription payment charge plan
receipt | invoice payment proof purchase expense
payment transaction | pay charge transfer money paid settlement
transaction | payment bank purchase transfer statement entry
charge | payment transaction
refund | money_back credit return payment charge
credit credit_note | refund balance voucher
dispute chargeback | charge complaint refund claim
payout disbursement | transfer withdraw money
transfer wire | send move payment
balance | funds money account how_much available amount
account | balance customer profile company user
bank banking | account transaction statement balance
card credit_card debit_card | payment charge
payment_link checkout_link | checkout pay
subscription membership | recurring plan billing renew customer subscriber monthly
subscriber | subscription customer member contact
plan tier package | subscription price
price pricing rate fee | cost amount charge quote
cost spend spending expense expenditure | price bill charge budget money spent how_much usage fee
expense | cost receipt claim reimbursement bill
budget | cost spend plan forecast limit
discount coupon promo promo_code voucher promotion | code offer sale deal gift_card rebate
gift_card | voucher discount
tax vat | rate invoice
revenue income earnings turnover | profit sales
profit profit_and_loss income_statement p_l pnl | revenue loss earnings statement
loss | profit
balance_sheet financial_statement | report assets accounting profit
statement | report account summary
accounting bookkeeping ledger books | journal account invoice finance
journal | ledger entry
reconcile | match bank transaction balance
asset | inventory property fund
quote quotation proposal estimate | price offer deal
purchase_order po | order supplier buy
order purchase | sale customer cart buy
cart basket | order checkout item
product good merchandise sku | item catalogue inventory variant article
catalogue | product list
variant | product option size
inventory stock warehouse | product quantity level item in_stock availability supply
stock share equity | price quote ticker market
quantity amount | number count level
sold_out out_of_stock | stock inventory
restock replenish | inventory stock
shipping shipment delivery parcel package | order tracking ship carrier fulfil
shipped delivered dispatched | fulfil shipment
tracking_number | shipment parcel track
carrier courier | shipping delivery
return rma | refund order
store shop | product order location sell
customer client buyer shopper | contact account user consumer
supplier vendor | contact bill purchase merchant
merchant seller | store vendor
company business organisation firm | account customer enterprise
crm | contact deal lead customer sales
lead prospect | contact opportunity potential sales customer
deal opportunity | sale pipeline lead prospect
pipeline funnel | deal stage sales
sale | order deal revenue
contract agreement | document sign deal
loyalty points reward | customer
campaign | marketing email ad sequence newsletter promotion advert
marketing | campaign email audience
sequence drip cadence | campaign email automation
ad advert advertisement | campaign marketing
segment audience | list customer group contacts
landing_page | page site
form | lead submission
conversion | goal funnel rate
seo keyword | search ranking
report dashboard | analytics summary chart statistics export
analytics stats statistics metric insight | report traffic data usage numbers visitors
traffic visits visitors pageviews views hits | analytics bandwidth requests
usage consumption | metric cost limit quota how_much
dashboard | chart report overview widget panel board
chart graph plot | dashboard report visualise series
goal target objective okr | milestone kpi
kpi | metric goal
complaint | ticket case feedback
claim | insurance request expense
insurance | policy claim
donation donate charity | payment give fundraise
auction bid | offer
real_estate house apartment | property_listing
rent lease | property
review testimonial | rating feedback
currency exchange_rate forex | convert money rate
crypto cryptocurrency coin bitcoin | wallet token
wallet | balance payment
loan mortgage credit | interest repay
invest investment portfolio | stock fund
"""
