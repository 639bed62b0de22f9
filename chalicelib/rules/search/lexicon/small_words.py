"""Words that hold a sentence together, place things in it or narrow them, and name nothing to search for."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS: Final = _words(
    """
    a an the this that these those it its my mine your yours our ours his her hers their theirs me you us him them i
    we he she they myself yourself itself themselves who whom whose which what when where why how whoever whatever
    whenever wherever am is are was were be been being do does did doing done have has had having will would shall
    should can could may might must ll ve re isn aren wasn weren don doesn didn won wouldn couldn shouldn can cannot
    cant dont not no nor and or but if then else than so because as while until unless though although since of in on
    at by to for from with without into onto over under about after before between through during against within
    across per via off out up down upon toward towards there here now just only also too very really quite some any
    each every both either neither such same other another again ever never always maybe please kindly thanks thank hi
    hello hey ok okay yes want wants wanted need needs needed like would wish trying try tries hope going gonna wanna
    lets let able possible way ways somehow know knows think say says said saying seem happen happens happened cause
    causes caused something anything everything nothing thing things stuff lot lots bit kind sort one ones own much
    many yet still already once soon too instead rather together more most less least few several lot enough
    tool tools using use used uses de la le les el los las un una une des du et y en der die das den dem
    des ein eine einen einem und oder mit für fur von vom zu zum zur im am auf ist o os as um uma do da dos das e il
    lo gli di del della con por para per pour avec dans sur au aux que ich mir pls plz thx asap
    """
)

PLACING_WORDS: Final = _words("in at to from with by near inside into via en nach aus bei")
"""What follows one of these is mostly an argument (a person, a place), seldom the purpose."""

WISHING_WORDS: Final = _words(
    """
    want wants wanted need needs needed like love going how have has trying try tries able used wish hope way ways
    """
)
"""After one of these `to` begins what is to be done."""

PARTICLES: Final = _words("up down off on out back in over away")
"""A verb may stand some words before the one that belongs to it: `turn the light off`."""

DETAIL_WORDS: Final = _words(
    """
    about regarding concerning called named titled mentioning containing which because since whose
    """
)
"""What follows one of these tells more about the object, not what is to be done."""

WEAK_WORDS: Final = _words(
    """
    two three four five six seven eight nine ten eleven twelve dozen hundred thousand couple pair half first second
    third monday tuesday wednesday thursday friday saturday sunday january february march april june july august
    september october november december good bad big small great best better nice quick quickly fast simple easy old
    open full main whole different certain outside inside nearby help function
    """
)
"""Words that narrow a purpose without naming one."""

DETERMINERS: Final = _words(
    """
    a an the this that these those my your our his her their its some any all each every
    """
)
