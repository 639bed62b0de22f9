"""What one does with things."""

from typing import Final

ROWS: Final = """
~ create make new add generate build produce | open set_up write compose insert define raise file put come_up_with draft
~ get fetch read retrieve show view see display | open look_at check pull load return obtain give inspect describe
~ list enumerate all | show display view browse get every catalog overview
~ search find query look_up lookup | seek locate discover hunt browse match filter look_for
~ update edit change modify set | adjust alter correct revise patch amend replace fix overwrite tweak configure put
~ do use try handle work make perform let manage
~ thing item record entry data information info detail entity object
~ tell show give report say
~ check look_at | verify inspect see get status
create | establish author prepare register submit
report file raise lodge log submit open > create
reschedule > update change
apply | application submit
register | sign_up enrol create add join
change | rename switch convert
rename | change_name relabel update
delete remove erase trash destroy discard | bin wipe drop clear cancel purge get_rid_of take_down throw_away dispose
delete | eliminate scrap take_out take_off kill uninstall void revoke
remove | detach unlink withdraw exclude strip kick evict unassign
add append insert attach include | put join place create import
attach attachment | enclose add upload link
move transfer relocate | migrate shift drag transition reassign put change_location
convert transform | turn_into change translate export move promote
copy duplicate clone replicate | fork repeat backup
save store keep | persist archive record write remember put
archive | shelve retire hide store put_away
restore recover undelete | bring_back revert undo rollback roll_back recovery get_back
undo revert rollback roll_back | reverse undo restore back_out go_back
cancel call_off | void abort stop terminate annul revoke drop delete end withdraw scrap unsubscribe
void annul nullify invalidate | cancel reverse write_off
close finish complete finalise | resolve end conclude settle shut done wrap_up mark
resolve solve fix | close settle sort_out clear repair done
open | reopen start launch
start launch begin boot | run turn_on power_on spin_up fire_up kick_off initiate wake wake_up switch_on bring_up play
stop halt end terminate | shut_down shutdown turn_off power_off kill suspend quit pause switch_off bring_down cancel
pause suspend | hold stop freeze halt interrupt put_on_hold break snooze
resume unpause | continue restart proceed play start
restart reboot | reset relaunch reload bounce recycle
reset | restart clear restore revert
run execute invoke | launch call perform fire start kick_off trigger
trigger fire | start launch raise invoke kick_off activate dispatch
retry rerun re_run | repeat try_again run_again redo restart
approve accept | allow confirm authorise sign_off grant okay ok greenlight green_light permit say_yes review rsvp
reject decline deny refuse | disapprove turn_down dismiss say_no respond
respond reply answer | react accept decline write_back get_back_to response rsvp
enable activate | turn_on switch_on start unlock
disable deactivate | turn_off switch_off mute suspend lock stop
assign delegate allocate | give hand hand_over owner responsible put_in_charge appoint reassign pass
share | grant invite give permission publish collaborate access show
grant give | allow permit share assign authorise
revoke withdraw | remove cancel take_away unshare deny
send deliver dispatch transmit | post forward mail shoot push submit
post publish | send write share announce submit put_up
publish release ship | deploy post launch announce push_out go_live
forward | send_on pass_on pass_along redirect relay resend
receive | get accept inbound incoming
upload | attach put_file add import send push put
download | export save get_file pull fetch get
import ingest | load upload bring_in migrate
export extract | download dump save convert output
print | export output
sync synchronise | refresh update replicate mirror match
refresh reload | update renew sync
merge combine join consolidate | unify unite together integrate
split divide separate | break_up partition
compare diff | difference versus contrast
sort order_by rank | arrange order
filter narrow | search query where
group | cluster bundle categorise
count number_of how_many | total sum tally amount
total sum | amount count add_up aggregate
calculate compute | count total sum estimate work_out figure_out
convert exchange | change turn
validate verify confirm | check test prove authenticate
test try_out | check verify experiment
schedule plan | book arrange set_up queue timetable later calendar slot
schedule | appointment shift rota roster
schedule book arrange plan organise host > create
reschedule postpone put_off | move delay change_time update change push_back defer
book reserve | schedule arrange plan reservation appointment
queue enqueue | schedule line_up later pending waiting
remind reminder | notify alert follow_up task nudge
notify alert | tell inform warn message ping announce let_know
inform | notify tell report
announce announcement broadcast | post publish notify news
warn warning | alert caution notify
follow_up | reminder task chase check_in
track tracking | follow monitor trace status watch
watch follow | monitor subscribe track observe
monitor observe | watch track check supervise keep_an_eye look_after
measure | metric gauge track
subscribe | sign_up follow join subscription enrol
unsubscribe opt_out | cancel leave remove
invite invitation | ask add guest share ask_to_join
join | enter attend add enrol participate
leave quit exit | depart out remove
connect link | attach associate join relate integrate
disconnect unlink | detach remove
block ban | deny stop blacklist deny_list blocklist firewall forbid prevent
unblock allow | permit whitelist allow_list unban
lock | freeze secure protect
unlock | open release
hide | archive mute conceal ignore
ignore dismiss | mute skip hide suppress snooze silence
mute silence | quiet suppress pause ignore snooze hush turn_off shut_up
snooze | pause mute delay silence postpone
acknowledge ack | confirm accept take seen
escalate | raise next_level hand_up bump page
rate rating | score review star satisfaction feedback
vote | poll upvote rate
like favourite kudos praise applause | star react heart reaction bookmark
react reaction | emoji like smiley respond thumbs_up
bookmark | favourite save pin star
pin | bookmark stick star
tag label | category mark flag keyword categorise topic
categorise classify | tag label category group
flag mark | tag label set star
mark | set flag update
rank | sort position rating
recommend suggest recommendation suggestion | similar propose advice like_this idea discover
describe explain | detail schema definition summary
summarise summary | overview digest brief recap abstract
preview | view look draft
review | approve feedback rating check comment
inspect examine | describe check view look
analyse analysis | analytics report insight examine
predict prediction | forecast estimate expect
estimate | forecast predict quote approximate
log | record note track write
record | log save capture note register
draft | unsent unfinished save_for_later sketch
sign signature | esign e_sign agreement contract approve
submit | send file post hand_in upload
request ask | apply demand requisition require
return give_back send_back | refund back restock
replace swap substitute | exchange change switch override update
override | swap replace bypass exception
switch toggle | change turn swap
increase raise | grow scale_up more bump up add
decrease reduce lower | scale_down less cut shrink
scale resize | grow shrink increase decrease capacity
clear empty | purge reset delete wipe flush
purge flush | clear invalidate bust empty wipe evict delete
clean clean_up cleanup | purge clear tidy delete
expire expiry | end renew due
renew | extend update refresh
extend prolong | renew lengthen
encrypt | secure protect lock
decrypt | unlock
compress zip | shrink archive
scan | check inspect read
render | draw generate image
translate | convert language
speak say | voice talk read_aloud
listen hear | play audio
play playback put_on | start listen music stream
skip | next ignore jump
repeat | loop again retry recur
rotate | turn roll renew
deploy roll_out rollout | release ship publish push install go_live
install set_up | add deploy
configure configuration setting | set preference option setup settings set_up
provision | create set_up allocate
onboard onboarding | new_hire welcome set_up
hand_over handoff handover | transfer assign pass
check_in | arrive register
check_out checkout | pay buy borrow cart
page | alert notify call
charge bill | invoice debit collect fee payment
collect gather | get charge receive
withdraw | cash take_out payout remove
deposit | put payment add
buy purchase acquire | order pay procure
order | buy purchase request
sell | sale deal
pay payment | bill settle charge transaction remit transfer checkout money
refund reimburse money_back pay_back repay | return reverse credit reimbursement chargeback give_back
ship dispatch fulfil fulfilment | deliver send shipment delivery mark post complete
pick choose select | set
"""
