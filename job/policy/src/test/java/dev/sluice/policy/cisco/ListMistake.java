package dev.sluice.policy.cisco;

/** Mistake of an importer, which the random comparison must notice. */
enum ListMistake {
    NONE,
    DENY_TAKES_LATER_FRAGMENTS,
    PERMIT_WANTS_PORTS,
    WILDCARD_IS_A_MASK,
    ORDER_OF_LINES,
    ESTABLISHED_IS_ACK,
    NO_NEIGHBOUR_DISCOVERY,
    LESS_INCLUDES_ITS_END,
    NAME_HAS_NO_CODE,
    PERMIT_AT_THE_END
}
