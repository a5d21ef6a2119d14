package dev.sluice.policy.flatten;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleIds;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sets of packets of a policy: large conditions whose boxes stand once, however many rules ask for
 * them. Rules ask for a bit of {@link HeaderWord#SETS} instead, which a look-up of its own tells.
 *
 * <p>The bit hangs on the least hash of the boxes, so that hardly an edit changes it.
 */
final class PacketSets implements Alternatives.Sets {
    /** Fewest boxes of a set: fewer cost less as alternatives of rules. */
    static final int LEAST = 256;

    /** Fewest boxes that rules save by asking for a bit, as so many times those of a set. */
    private static final int LEAST_SAVED = 16;

    /** Most bits: each may double the classes of packets in the tables of a look-up. */
    private static final int MOST = 12;

    /** About so many boxes does the opposite of a box have. */
    private static final int NEGATED = 8;

    /** Fewest alternatives on several fields whose opposite is left to a bit. */
    private static final int MOST_NEGATED = 4;

    /** Number above which more boxes make no difference. */
    private static final long MANY = 1 << 20;

    static final PacketSets NONE = new PacketSets();

    private final Map<Condition, Bits> bits = new HashMap<>();
    private final Map<Integer, List<Match>> elements = new TreeMap<>();

    /**
     * Bits of a set, as masks; 0: none.
     *
     * @param certain of packets that meet the condition
     * @param unknown of packets that may meet it
     */
    private record Bits(int certain, int unknown) {}

    /** Boxes that become a set. */
    private record Chosen(Condition condition, boolean unknown, List<Match> boxes, long least) {}

    private PacketSets() {}

    /**
     * The sets of policies.
     *
     * @param least fewest boxes of one
     */
    static PacketSets of(List<Policy> policies, Assumptions assumed, int least) {
        Map<Condition, Long> uses = new HashMap<>();
        for (Policy policy : policies) {
            for (Stage stage : policy.stages()) {
                for (List<PolicyRule> rules : stage.chains().values()) {
                    for (PolicyRule rule : rules) {
                        Condition condition = stage.vantage().of(rule.condition());
                        count(condition, 1L, least, uses);
                        addNegated(condition, uses);
                    }
                }
            }
        }
        List<Map.Entry<Condition, Long>> used = new ArrayList<>(uses.entrySet());
        used.removeIf(one -> saved(one) < (long) LEAST_SAVED * least);
        used.sort(Comparator.comparingLong(one -> -saved(one)));
        List<Chosen> chosen = new ArrayList<>();
        Alternatives alternatives = new Alternatives(assumed, Vantage.PLAIN, NONE);
        for (Map.Entry<Condition, Long> one : used) {
            if (chosen.size() + 2 <= MOST) {
                choose(one.getKey(), alternatives, chosen);
            }
        }
        return numbered(chosen);
    }

    private static long saved(Map.Entry<Condition, Long> used) {
        return (used.getValue() - 1) * size(used.getKey());
    }

    /**
     * Counts how often the boxes of large conditions would stand in rules.
     *
     * @param times how often those of this one would
     */
    private static void count(
            Condition condition, long times, int least, Map<Condition, Long> uses) {
        if (size(condition) < least) {
            return;
        }
        if (condition instanceof Condition.Not not) {
            count(not.condition(), times * NEGATED, least, uses);
        } else if (condition instanceof Condition.All all) {
            for (Condition one : all.conditions()) {
                long product = times;
                for (Condition other : all.conditions()) {
                    product =
                            Math.min(MANY, product * (other == one ? 1 : Math.max(1, size(other))));
                }
                count(one, product, least, uses);
            }
        } else if (isOfHeaders(condition)) {
            uses.merge(condition, times, Long::sum);
        } else if (condition instanceof Condition.Any any) {
            any.conditions().forEach(one -> count(one, times, least, uses));
        }
    }

    /** Adds conditions under negations that would multiply beyond all bounds. */
    private static void addNegated(Condition condition, Map<Condition, Long> uses) {
        if (condition instanceof Condition.Not not) {
            if (boxes(not.condition()) >= MOST_NEGATED && isOfHeaders(not.condition())) {
                uses.merge(not.condition(), MANY, Long::sum);
            } else {
                addNegated(not.condition(), uses);
            }
        } else if (condition instanceof Condition.All all) {
            all.conditions().forEach(one -> addNegated(one, uses));
        } else if (condition instanceof Condition.Any any) {
            any.conditions().forEach(one -> addNegated(one, uses));
        }
    }

    /** Number of a condition's alternatives on several addresses or ports each. */
    private static int boxes(Condition condition) {
        if (condition instanceof Condition.Any any) {
            return any.conditions().stream().mapToInt(PacketSets::boxes).sum();
        }
        Set<Field> wide = new HashSet<>();
        if (condition instanceof Condition.All all) {
            all.conditions().forEach(one -> addWide(one, wide));
        }
        return wide.size() > 1 ? 1 : 0;
    }

    private static void addWide(Condition condition, Set<Field> fields) {
        if (condition instanceof Condition.In in && in.field().bits() >= Short.SIZE) {
            fields.add(in.field());
        } else if (condition instanceof Condition.All all) {
            all.conditions().forEach(one -> addWide(one, fields));
        } else if (condition instanceof Condition.Any any) {
            any.conditions().forEach(one -> addWide(one, fields));
        }
    }

    /** Number of a condition's boxes, or about so many. */
    private static int size(Condition condition) {
        if (condition instanceof Condition.In in) {
            return in.values().ranges().size();
        }
        if (condition instanceof Condition.Not not) {
            return NEGATED * size(not.condition());
        }
        if (condition instanceof Condition.All all) {
            return all.conditions().stream().mapToInt(PacketSets::size).reduce(1, Math::max);
        }
        return condition instanceof Condition.Any any
                ? any.conditions().stream().mapToInt(PacketSets::size).sum()
                : 1;
    }

    /** Returns whether a condition means the same under all states, and on all interfaces. */
    private static boolean isOfHeaders(Condition condition) {
        return !Condition.has(
                condition,
                one -> Condition.field(one) == null && !(one instanceof Condition.Unknown));
    }

    private static void choose(
            Condition condition, Alternatives alternatives, List<Chosen> chosen) {
        List<Match> certain = new ArrayList<>();
        List<Match> unknown = new ArrayList<>();
        try {
            for (Alternative one : alternatives.of(condition)) {
                (one.unknown() ? unknown : certain).add(one.box());
            }
        } catch (Alternatives.TooManyException e) {
            return; // the rule that asks for it is refused, by its line
        }
        for (List<Match> boxes : List.of(certain, unknown)) {
            if (!boxes.isEmpty()) {
                long hash = boxes.stream().mapToLong(box -> RuleIds.first(box, "")).min().orElse(0);
                chosen.add(new Chosen(condition, boxes == unknown, boxes, hash));
            }
        }
    }

    private static PacketSets numbered(List<Chosen> chosen) {
        PacketSets sets = new PacketSets();
        chosen.sort(Comparator.comparingLong(Chosen::least));
        for (Chosen one : chosen) {
            int bit = (int) (one.least >>> 8) & Integer.SIZE - 1;
            while (sets.elements.containsKey(bit)) {
                bit = bit + 1 & Integer.SIZE - 1;
            }
            sets.elements.put(bit, one.boxes);
            Bits own = one.unknown ? new Bits(0, 1 << bit) : new Bits(1 << bit, 0);
            sets.bits.merge(
                    one.condition,
                    own,
                    (a, b) -> new Bits(a.certain | b.certain, a.unknown | b.unknown));
        }
        return sets;
    }

    @Override
    public @Nullable List<Alternative> alternatives(Condition condition, boolean negated) {
        Bits of = bits.isEmpty() ? null : bits.get(condition);
        if (of == null) {
            return null;
        }
        List<Alternative> all = new ArrayList<>();
        if (negated) {
            all.add(new Alternative(box(of.certain | of.unknown, 0), false));
        } else if (of.certain != 0) {
            all.add(new Alternative(box(of.certain, of.certain), false));
        }
        if (of.unknown != 0) {
            int sure = negated ? of.certain : 0;
            all.add(new Alternative(box(sure | of.unknown, of.unknown), true));
        }
        return all;
    }

    private static Match box(int mask, int value) {
        return new Match.Builder().word(HeaderWord.SETS, value, mask).build();
    }

    /** Takes each element, with the bit of its set. */
    void forEach(BiConsumer<Integer, Match> taker) {
        elements.forEach((bit, boxes) -> boxes.forEach(box -> taker.accept(bit, box)));
    }
}
