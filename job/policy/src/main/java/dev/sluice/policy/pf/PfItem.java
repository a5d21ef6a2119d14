package dev.sluice.policy.pf;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.policy.model.Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Rule, or anchor with rules, as its text has it. */
final class PfItem {
    /** Kind of a rule by what it does. */
    enum Kind {
        PASS,
        BLOCK,
        MATCH,
        /** Rules that are loaded later, which nobody knows of. */
        UNKNOWN
    }

    final Kind kind;
    final PfToken at;
    final String chain;
    String text = "";
    String label = "";
    String action;
    boolean in = true;
    boolean out = true;
    boolean quick;

    /** The conditions but for that of its interfaces. */
    final List<Condition> conditions = new ArrayList<>();

    /** The condition of its interfaces, by whether packets come in. */
    Function<Boolean, Condition> on = incoming -> Condition.ALWAYS;

    /** The rules of an anchor; null: it is a rule. */
    @Nullable List<PfItem> inner;

    PfItem(Kind kind, PfToken at, String chain) {
        this.kind = kind;
        this.at = at;
        this.chain = chain;
        action = at.text();
    }

    /** Returns whether packets of a direction come to it. */
    boolean is(boolean incoming) {
        return incoming ? in : out;
    }

    Condition condition(boolean incoming) {
        List<Condition> parts = new ArrayList<>(conditions);
        Condition interfaces = on.apply(incoming);
        if (!interfaces.equals(Condition.ALWAYS)) {
            parts.add(0, interfaces);
        }
        return all(parts.toArray(Condition[]::new));
    }
}
