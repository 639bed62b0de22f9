"""How people shorten what they type, by the whole word. Words that only lack their vowels need no row."""

from typing import Final

ROWS: Final = """
list: ls
get: gt
create: cre
make: mk
new: nw
add: ad
show: sho
update: upd
delete: del
remove: rm
send: snd
move: mv
copy: cp
count: cnt
edit: ed
message: msg msgs
mail: eml ml
issue: iss
event: evt evts
calendar: cal
number: nr num
account: acc acct accts
address: addr
amount: amt
payment: pmt pymt
invoice: inv
customer: cust
order: ord
project: proj
picture: pic pics
image: img imgs
video: vid vids
configuration: cfg conf config
environment: env envs
password: pw pwd
appointment: appt
meeting: mtg mtgs
management: mgmt
department: dept
quantity: qty
reference: ref refs
request: req reqs
response: resp
transaction: txn txns tx
notification: notif notifs
organization: org orgs
description: desc
directory: dir dirs
database: db dbs
balance: bal
average: avg
calculate: calc
schedule: sched
service: svc
server: srv
package: pkg
language: lang
location: loc
change: chg
repository: rep
ticket: tkt tix
document: doc docs
"""
