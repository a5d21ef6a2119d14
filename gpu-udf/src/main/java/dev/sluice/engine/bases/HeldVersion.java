package dev.sluice.engine.bases;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.versions.VersionView;
import dev.sluice.engine.versions.VersionedRules;

/**
 * A version of the rules over a base that is served. It holds both from its construction until it
 * is closed once.
 *
 * @param base the base, which other versions share
 * @param versioned the rules that it is a version of
 * @param view the view that look-ups read
 * @param history id of the history of the rules, as the caller gave it; empty: none
 * @param number number in that history
 * @param name name of the rule set
 * @param defaultAction action where no rule matches
 */
public record HeldVersion(
        ServedBase base,
        VersionedRules versioned,
        VersionView view,
        String history,
        long number,
        String name,
        String defaultAction)
        implements AutoCloseable {
    /** Holds the base. */
    public HeldVersion {
        base.retain();
    }

    /** The version of now of some rules. */
    public HeldVersion(
            ServedBase base,
            VersionedRules versioned,
            String history,
            long number,
            String name,
            String defaultAction) {
        this(base, versioned, versioned.view(), history, number, name, defaultAction);
    }

    /** The same version over another base. */
    public HeldVersion over(ServedBase other, VersionedRules itsRules) {
        return new HeldVersion(other, itsRules, history, number, name, defaultAction);
    }

    /** The rules in their total order; the base's own where nothing changed. */
    public RuleSet rules() {
        return view.ruleSet(number, name, defaultAction);
    }

    @Override
    public void close() {
        view.close();
        base.ended(versioned);
        base.release();
    }
}
