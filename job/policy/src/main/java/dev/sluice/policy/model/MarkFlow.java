package dev.sluice.policy.model;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Marks of the packets that a stage lets pass, whatever the conditions of its rules are. */
public final class MarkFlow {
    /** Most marks that chains are walked with; beyond, nobody tells the mark. */
    private static final int MOST = 100_000;

    private final Stage stage;
    private final Map<String, Map<MarkState, Back>> known = new HashMap<>();
    private @Nullable MarkState passed;
    private int walks;

    /**
     * Mark at the end of a chain.
     *
     * @param mark null: no packet comes to the end
     */
    private record Back(@Nullable MarkState mark) {}

    private static final class TooManyException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private MarkFlow(Stage stage) {
        this.stage = stage;
    }

    /** The mark behind a stage. */
    public static MarkState behind(Stage stage, MarkState before) {
        MarkFlow flow = new MarkFlow(stage);
        MarkState end;
        try {
            end = flow.through(stage.base(), before);
        } catch (TooManyException e) {
            return MarkState.LOST;
        }
        if (stage.end().effect().equals(new Effect.Decide(Outcome.PERMIT))) {
            flow.passed = either(flow.passed, end);
        }
        return flow.passed == null ? before : flow.passed;
    }

    private static @Nullable MarkState either(@Nullable MarkState a, @Nullable MarkState b) {
        return a == null ? b : b == null ? a : a.or(b);
    }

    /** The mark of packets that come back from a chain; null: none does. */
    private @Nullable MarkState through(String chain, MarkState before) {
        Map<MarkState, Back> of = known.computeIfAbsent(chain, name -> new HashMap<>());
        Back back = of.get(before);
        if (back == null) {
            if (++walks > MOST) {
                throw new TooManyException();
            }
            back = new Back(walk(chain, before));
            of.put(before, back);
        }
        return back.mark;
    }

    private @Nullable MarkState walk(String chain, MarkState before) {
        MarkState at = before;
        MarkState back = null;
        List<PolicyRule> rules = Objects.requireNonNull(stage.chains().get(chain), chain);
        for (PolicyRule rule : rules) {
            if (at == null) {
                break;
            }
            Effect effect = rule.effect();
            MarkState met = null; // of packets that the rule meets, and that go on behind it
            if (effect instanceof Effect.Mark change) {
                met = at.after(change);
            } else if (effect instanceof Effect.Jump jump) {
                met = through(jump.chain(), at);
            } else if (effect instanceof Effect.Goto move) {
                back = either(back, through(move.chain(), at));
            } else if (effect instanceof Effect.Return) {
                back = either(back, at);
            } else if (effect instanceof Effect.Decide decide) {
                passed = decide.outcome() == Outcome.PERMIT ? either(passed, at) : passed;
            } else {
                met = at;
            }
            at = rule.condition().equals(Condition.ALWAYS) ? met : either(at, met);
        }
        return either(back, at);
    }
}
