package dev.sluice.policy.anonymize;

import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldText;
import java.math.BigInteger;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Names in policies of the middle form: addresses in conditions, and the words of people. */
final class PolicyNames {
    /** Word of letters of any script, digits and underscores that begins with no digit. */
    private static final Pattern WORD =
            Pattern.compile("[A-Za-z_\\x{80}-\\x{10ffff}][\\w\\x{80}-\\x{10ffff}]*");

    /** Names of hooks and tables, and words of actions. */
    private static final Set<String> KEPT =
            Set.of(
                    ("INPUT FORWARD OUTPUT PREROUTING POSTROUTING input forward output prerouting postrouting"
                                    + " raw mangle nat filter ACCEPT DROP REJECT RETURN accept drop reject return"
                                    + " allow deny permit jump goto lo")
                            .split(" "));

    private final AddressCipher addresses;
    private final WordCipher names;

    /** True while masks and ranges are noted, before the first address is replaced. */
    private boolean noting = true;

    PolicyNames(byte[] key, AddressCipher addresses) {
        this.addresses = addresses;
        names = new WordCipher(key, Set.of("lo")); // interfaces of a name l+ hold lo
    }

    /** The policies under other names. */
    List<Policy> of(Collection<Policy> policies) {
        policies.forEach(this::of);
        noting = false;
        return policies.stream().map(this::of).toList();
    }

    private Policy of(Policy policy) {
        Stage untracked = policy.untracked();
        return new Policy(
                of(policy.name()),
                of(policy.judges()),
                policy.stages().stream().map(this::of).toList(),
                untracked == null ? null : of(untracked));
    }

    private Stage of(Stage stage) {
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
        stage.chains()
                .forEach(
                        (chain, rules) -> {
                            List<PolicyRule> others = rules.stream().map(this::of).toList();
                            if (chains.put(of(chain), others) != null) {
                                throw new SluiceException(
                                        "chain %s: it would have the name of another one, as letters that are not ASCII become x; rename it"
                                                .formatted(chain));
                            }
                        });
        Vantage sees = stage.vantage();
        Vantage others =
                new Vantage(
                        sees.incoming(),
                        sees.outgoing(),
                        sees.forwarded(),
                        of(sees.reassembled()),
                        sees.states(),
                        sees.translation(),
                        sees.marks());
        return new Stage(
                of(stage.name()),
                of(stage.base()),
                chains,
                of(stage.end()),
                others,
                of(stage.judges()),
                stage.before().stream().map(this::of).toList());
    }

    private PolicyRule of(PolicyRule rule) {
        Origin from = rule.origin();
        Effect effect = rule.effect();
        if (effect instanceof Effect.Jump jump) {
            effect = new Effect.Jump(of(jump.chain()));
        } else if (effect instanceof Effect.Goto move) {
            effect = new Effect.Goto(of(move.chain()));
        }
        return new PolicyRule(
                new Origin(
                        of(from.file()),
                        from.line(),
                        of(from.chain()),
                        of(from.comment()),
                        of(from.text()),
                        from.counters()),
                of(rule.condition()),
                effect,
                of(rule.action()));
    }

    private Condition of(Condition condition) {
        return Condition.map(condition, this::ofLeaf);
    }

    private Condition ofLeaf(Condition condition) {
        if (condition instanceof Condition.In in && isAddress(in.field())) {
            int bits = in.field().bits();
            return new Condition.In(
                    in.field(),
                    new ValueSet(in.values().ranges().stream().map(r -> of(r, bits)).toList()));
        } else if (condition instanceof Condition.Bits in && isAddress(in.field())) {
            BigInteger free = ValueSet.ones(in.field().bits()).andNot(in.mask());
            ValueSet.Range values = of(in.value(), in.value().or(free), in.field().bits());
            return new Condition.Bits(in.field(), values.low().and(in.mask()), in.mask());
        } else if (condition instanceof Condition.Interface of) {
            return new Condition.Interface(of.incoming(), of(of.name()));
        } else if (condition instanceof Condition.OfHost host) {
            return new Condition.OfHost(host.field(), host.type(), of(host.words()));
        } else if (condition instanceof Condition.Tracked asked) {
            return new Condition.Tracked(asked.bits(), of(asked.words()));
        } else if (condition instanceof Condition.Within within) {
            return new Condition.Within(within.period(), of(within.words()));
        }
        return condition instanceof Condition.Unknown unknown
                ? new Condition.Unknown(of(unknown.words()))
                : condition;
    }

    private static boolean isAddress(Field field) {
        return field.text() == FieldText.ADDRESS || field.text() == FieldText.MAC;
    }

    private ValueSet.Range of(ValueSet.Range range, int bits) {
        return of(range.low(), range.high(), bits);
    }

    /** The range that stands for another one: a prefix for a prefix. */
    private ValueSet.Range of(BigInteger low, BigInteger high, int bits) {
        BigInteger free = ValueSet.ones(low.xor(high).bitLength());
        boolean prefix = low.and(free).signum() == 0 && high.and(free).equals(free);
        if (noting) {
            if (!prefix) {
                addresses.keepBehind(bytes(low, bits), bits - free.bitLength());
            }
            return new ValueSet.Range(low, high);
        }
        BigInteger first = new BigInteger(1, addresses.of(bytes(low, bits)));
        return prefix
                ? new ValueSet.Range(first.andNot(free), first.or(free))
                : new ValueSet.Range(first, new BigInteger(1, addresses.of(bytes(high, bits))));
    }

    private static byte[] bytes(BigInteger value, int bits) {
        byte[] from = value.toByteArray();
        byte[] bytes = new byte[bits / Byte.SIZE];
        int length = Math.min(from.length, bytes.length);
        System.arraycopy(from, from.length - length, bytes, bytes.length - length, length);
        return bytes;
    }

    /** Replaces the words of a text, and the addresses among them. */
    private String of(String text) {
        if (noting) {
            addresses.note(text);
            return text;
        }
        return addresses.of(
                text, words -> WORD.matcher(words).replaceAll(found -> other(found.group())));
    }

    /** The word that stands for another one: never for one that stays. */
    private String other(String word) {
        String other = word;
        if (!KEPT.contains(word)) {
            do {
                other = names.of(other);
            } while (KEPT.contains(other));
        }
        return other;
    }
}
