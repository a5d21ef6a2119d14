package dev.sluice.policy.flatten;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.model.PolicyRule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Part of a chain that one look-up decides: entries of which the first that matches acts. */
final class Segment {
    /** Act of an entry. */
    enum Act {
        DECIDE,
        RETURN,
        /** Walks through another segment, then goes on behind this one. */
        CALL,
        /** Goes to another segment and does not come back. */
        GO,
        /** Goes on behind this segment in doubt: the entry's rule may have left the chain. */
        DOUBT,
        /** Walks through another segment in doubt, then goes on behind this one in doubt. */
        CALL_AND_DOUBT
    }

    /**
     * Entry.
     *
     * @param rule the rule that the entry acts for
     * @param unknown the rule whose condition may fail the packets; null: none
     * @param to segment that a call or a move leads to
     */
    record Entry(
            Match box,
            Act act,
            PolicyRule rule,
            @Nullable PolicyRule unknown,
            @Nullable Segment to) {}

    /**
     * Chain, and the rule that it begins behind: a name that other rules of a policy leave alone.
     */
    final String name;

    final List<Entry> entries = new ArrayList<>();

    /** The segment behind this one; null: the chain ends. */
    @Nullable Segment next;

    Segment(String name) {
        this.name = name;
    }
}
