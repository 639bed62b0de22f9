"""Software, its delivery, its running and its safety."""

from typing import Final

ROWS: Final = """
code source_code | source script repository program
repository repo | project code source git
branch | ref fork git
commit revision | change history push
ref branch tag | commit
diff difference | compare change patch
pull_request merge_request pr mr | merge review branch code_review
code_review | pull_request approve review
merge | rebase squash combine
fork | clone copy repository
release version | deploy tag ship publish changelog
changelog release_notes | release version
software | app application program
package library module | dependency artifact registry
dependency | package library
artifact | build package output
build compile | pipeline ci job
pipeline ci ci_cd continuous_integration | build workflow job run deploy
workflow | pipeline automation run action
job | run task pipeline build
run execution | job
deployment deploy | release rollout environment
environment env | staging production stage
production prod live | environment deploy release service
staging | environment
script program | code function
function lambda serverless | invoke worker code
worker | function job script
webhook callback hook | event notify subscription url
api endpoint | request call rest http
request call | http
token api_key key credential secret | password access vault
password passcode passphrase | secret login credential reset
otp one_time one_time_password two_factor 2fa mfa verification_code | code verify login passcode authentication
code | pin passcode number
login sign_in log_in signin | authenticate session password user
logout sign_out log_out | session
session | login user
authenticate authentication | login verify sso identity
sso single_sign_on | login identity
identity | user authentication
certificate ssl tls https | domain secure renew cert
security | vulnerability threat access protect
vulnerability cve exploit | security issue scan
threat attack malware virus | security block firewall
firewall waf | block rule security ip allow
ip ip_address | address host network
address | ip location
network vpc subnet | ip
vpn | network
rule policy | condition filter
audit audit_log | log history activity event trail
log logs logging | event output record
log_line | log
trace tracing | span log request distributed
span | trace
output | log result
error exception crash failure fault | bug problem issue failed traceback
fail failed failing broken | error retry down crash unsuccessful wrong
traceback stack_trace backtrace stacktrace callstack call_stack | error exception trace crash
crash | error failure stability
debug debugging troubleshoot diagnose | log trace error
incident outage emergency | alert problem down issue event
outage downtime down | incident status unavailable
on_call oncall on_duty standby | schedule shift responder pager rota who_is_responsible rotation escalation
looking_after look_after responsible in_charge | on_call owner assignee
responder | on_call helper incident people
pager | on_call alert incident page
escalation | escalate policy level
alert alarm alerting | monitor notification warning threshold notify incident
monitor check | alert health watch
uptime availability health heartbeat | status monitor check
threshold limit | alert metric
maintenance maintenance_window | downtime mute schedule
metric measurement | time_series statistics graph performance cpu memory
performance latency slow speed response_time | metric trace monitor
cpu memory ram load | metric usage host
time_series | metric
server host machine vm virtual_machine instance | compute node infrastructure box ec2 hosting computer
instance | server
node | server host cluster
cluster | node kubernetes
kubernetes k8s | cluster container pod
container docker image | kubernetes registry
pod | container kubernetes
service microservice | application component
~ application app system platform | service program
infrastructure | server host cloud resource
cloud | aws azure gcp infrastructure hosting server
resource | instance object
autoscale autoscaling | scale
volume disk | storage snapshot
snapshot backup | copy restore image
backup | copy restore snapshot save
bucket s3 blob object_storage blob_storage | storage object file
object blob | file bucket record
database db datastore | table query sql postgres mysql dynamodb mongodb redis
sql | query database
query | search sql select statement
nosql document_database | database dynamodb mongodb
schema structure data_model | column field describe table definition
index | table search
key | partition primary
partition | table key
table | database
cache cdn | purge edge content_delivery cached
dns nameserver domain_name_system | domain record zone a_record cname mx_record
domain zone hostname site | dns website
subdomain | domain dns_record dns zone
cname a_record mx_record txt_record | dns_record dns
dns_record | dns cname
website site web_page | page domain url
bandwidth | traffic usage network
queue | message job
topic | message queue
event | message log occurrence
stream | event data
feature_flag feature_toggle flag | toggle experiment rollout enable
experiment ab_test split_test | test variant
test | check quality
coverage | test
lint | check code
search | index
model ai machine_learning ml | predict train
prompt | generate ai completion
embedding vector | search
dataset | data table
etl data_pipeline | pipeline sync
cron scheduled_job | schedule job
automation automate zap | workflow trigger rule
integration connector plugin addon add_on extension | app install connect
configuration config | setting
variable parameter env_var | configuration secret
license licence seat | user subscription
device | phone player speaker sensor hardware machine gadget
sensor thermostat | device temperature reading
light lamp bulb | switch device
smart_home home_automation | device light
camera | video image
printer | print
robot | device
firmware | update device
ssh shell terminal command | run server
git | repository commit
html markdown | page text
json xml | data
image picture photo photograph | file media
media | video image file audio
screenshot | image capture
logo icon avatar | image picture
qr qr_code barcode | scan code
regex | pattern
"""
