package dev.sluice.policy.testing;

import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Tracking;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import java.math.BigInteger;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reference of the middle form: walks through the chains of a policy for one packet, rule by rule,
 * as a kernel does.
 */
public final class PolicyWalk {
    private final Assumptions assumed;
    private final Predicate<String> unknown;

    /** Outcome of a policy, with the rule that decides it. */
    public record Decision(Outcome outcome, PolicyRule rule) {}

    /**
     * A walker.
     *
     * @param assumed all of it known
     * @param unknown whether an unknown condition of some words holds
     */
    public PolicyWalk(Assumptions assumed, Predicate<String> unknown) {
        this.assumed = assumed;
        this.unknown = unknown;
    }

    /** Decides about a packet. */
    public Decision judge(Policy policy, int[] header) {
        Stage untracked = policy.untracked();
        if (untracked != null && assumed.state() != ConnectionState.UNTRACKED) {
            Assumptions skipped = assumed.withState(ConnectionState.UNTRACKED);
            PolicyWalk walk = new PolicyWalk(skipped, unknown);
            if (outcome(walk.judge(untracked, header.clone())) == Outcome.PERMIT) {
                return walk.judge(policy, header);
            }
        }
        PolicyRule rule = null;
        int[] walked = header.clone();
        for (Stage stage : policy.stages()) {
            rule = judge(stage, walked);
            if (outcome(rule) == Outcome.DENY) {
                break;
            }
        }
        PolicyRule last = Objects.requireNonNull(rule);
        return new Decision(outcome(last), last);
    }

    private static Outcome outcome(PolicyRule rule) {
        return ((Effect.Decide) rule.effect()).outcome();
    }

    private PolicyRule judge(Stage stage, int[] header) {
        PolicyRule rule = walk(stage, stage.base(), header); // rules may set its mark
        return rule == null ? stage.end() : rule;
    }

    /** The rule that decides in a chain; null: the chain comes back. */
    private @Nullable PolicyRule walk(Stage stage, String chain, int[] header) {
        List<PolicyRule> rules = Objects.requireNonNull(stage.chains().get(chain));
        for (PolicyRule rule : rules) {
            if (!meets(stage.vantage().of(rule.condition()), header)) {
                continue;
            }
            if (rule.effect() instanceof Effect.Decide) {
                return rule;
            }
            if (rule.effect() instanceof Effect.Return) {
                return null;
            }
            if (rule.effect() instanceof Effect.Mark mark) {
                int old = Field.MARK.extract(header[Field.MARK.word()]);
                int marked = old & ~mark.mask() ^ mark.flipped();
                header[Field.MARK.word()] = 0;
                Field.MARK.put(header, marked);
            }
            if (rule.effect() instanceof Effect.Goto move) {
                return walk(stage, move.chain(), header);
            }
            if (rule.effect() instanceof Effect.Jump jump) {
                PolicyRule decides = walk(stage, jump.chain(), header);
                if (decides != null) {
                    return decides;
                }
            }
        }
        return null;
    }

    /** Returns whether a packet meets a condition. */
    public boolean meets(Condition condition, int[] header) {
        if (condition instanceof Condition.All all) {
            return all.conditions().stream().allMatch(each -> meets(each, header));
        }
        if (condition instanceof Condition.Any any) {
            return any.conditions().stream().anyMatch(each -> meets(each, header));
        }
        if (condition instanceof Condition.Not not) {
            return !meets(not.condition(), header);
        }
        if (condition instanceof Condition.In in) {
            return has(in.field(), header) && in.values().contains(value(in.field(), header));
        }
        if (condition instanceof Condition.Bits bits) {
            BigInteger value = value(bits.field(), header);
            return has(bits.field(), header)
                    && value.xor(bits.value()).and(bits.mask()).signum() == 0;
        }
        if (condition instanceof Condition.InState asked) {
            return meets(
                    Tracking.condition(asked, Objects.requireNonNull(assumed.state())), header);
        }
        if (condition instanceof Condition.Interface name) {
            String known = name.incoming() ? assumed.inInterface() : assumed.outInterface();
            return name.fits(Objects.requireNonNull(known));
        }
        return unknown.test(
                condition instanceof Condition.Tracked tracked
                        ? tracked.words()
                        : ((Condition.Unknown) condition).words());
    }

    private static boolean has(Field field, int[] header) {
        Field bit = field.present();
        return bit == null || bit.extract(header[bit.word()]) == 1;
    }

    private static BigInteger value(Field field, int[] header) {
        if (field.bits() == 128) {
            return new BigInteger(1, FieldBits.ipv6(header, field));
        }
        return BigInteger.valueOf(
                field.bits() == 48
                        ? FieldBits.mac(header, field)
                        : field.extract(header[field.word()]) & 0xffffffffL);
    }
}
