package dev.sluice.operators.rules.serving;

import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rules of which a verdict names the one at its position, and which a test sees closed. Thread-safe
 * as far as users come and go.
 */
public abstract class HeldRules implements ServedVersion {
    public final RuleSet rules;

    private final boolean policy;

    /** Id of the history that they are a version of. */
    public volatile String history = "";

    private final AtomicInteger users = new AtomicInteger(1);

    /** Rules with one user. */
    protected HeldRules(RuleSet rules) {
        this.rules = rules;
        policy = rules.isPolicy();
    }

    /** Whether nobody uses them any more. */
    public final boolean isClosed() {
        return users.get() == 0;
    }

    /** The last user is gone. */
    protected void closed() {}

    @Override
    public final String history() {
        return history;
    }

    @Override
    public final long version() {
        return rules.version();
    }

    @Override
    public final String defaultAction() {
        return rules.defaultAction();
    }

    @Override
    public final HeaderLayout layout() {
        return rules.layout();
    }

    @Override
    public final int slots() {
        return rules.size();
    }

    @Override
    public final Rule rule(int verdict) {
        return rules.rules().get(verdict);
    }

    @Override
    public final VerdictOutcome outcome(int verdict) {
        return policy ? rules.outcome(verdict) : VerdictOutcome.NONE;
    }

    @Override
    public final String assumed() {
        return rules.assumed();
    }

    @Override
    public final ServedVersion retain() {
        if (users.getAndIncrement() == 0) {
            throw new IllegalStateException("version " + version() + " is closed");
        }
        return this;
    }

    @Override
    public final void close() {
        int left = users.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("version " + version() + " is closed twice");
        }
        if (left == 0) {
            closed();
        }
    }
}
