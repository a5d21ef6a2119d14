package dev.sluice.job.ruletopic;

import dev.sluice.policy.io.SluiceException;

/**
 * Rules that were to be published were not, or it is not known whether they were. Who published
 * some before says in its own words what is to be sent again.
 */
public final class RulesNotPublishedException extends SluiceException {
    private static final long serialVersionUID = 1L;

    private final String why;
    private final boolean known;

    private RulesNotPublishedException(String why, boolean known, String remedy, Throwable cause) {
        super(why + "; " + remedy, cause);
        this.why = why;
        this.known = known;
    }

    /** None of the rules of a call were published. */
    static RulesNotPublishedException nothing(String why, String remedy, Throwable cause) {
        return new RulesNotPublishedException(
                why, true, "nothing of this was published: " + remedy, cause);
    }

    /** The rules of a call were published, or were not. */
    static RulesNotPublishedException unknown(String why, Throwable cause) {
        return new RulesNotPublishedException(
                why, false, "see sluice rules log when the broker answers again", cause);
    }

    /** Reason alone, without what was published and what to do. */
    public String why() {
        return why;
    }

    /** Tells whether it is known that nothing of the call was published. */
    public boolean isKnown() {
        return known;
    }
}
