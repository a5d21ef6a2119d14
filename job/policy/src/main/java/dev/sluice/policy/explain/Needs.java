package dev.sluice.policy.explain;

import dev.sluice.policy.flatten.ConditionTruth;
import dev.sluice.policy.flatten.Truth;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConditionText;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Translation;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Fields in which a packet misses the conditions of a stage's rules, the fewest there are. */
final class Needs {
    /** Most conditions of one field that are written out. */
    private static final int MOST = 8;

    private static final int NUMBER = 0xffff;

    /** The need of a condition that no packet meets. */
    static final Need NO_PACKET = new Need("packet", "this one", "none", null, true);

    private final ConditionTruth truth;
    private final Vantage vantage;
    private final Assumptions assumed;

    Needs(Assumptions assumed, Vantage vantage) {
        truth = new ConditionTruth(assumed, vantage);
        this.vantage = vantage;
        this.assumed = assumed;
    }

    /** The truth of a condition. */
    Truth truth(Condition condition, int[] header) {
        return truth.of(condition, header);
    }

    /** The needs of a packet that misses a condition, in the condition's order; else none. */
    List<Need> of(Condition condition, int[] header) {
        return of(condition, true, header);
    }

    private List<Need> of(Condition condition, boolean wanted, int[] header) {
        if (condition instanceof Condition.Not not) {
            return of(not.condition(), !wanted, header);
        }
        if (truth(wanted ? condition : Condition.not(condition), header) != Truth.NO) {
            return List.of();
        }
        if (condition instanceof Condition.All all) {
            return wanted
                    ? together(all.conditions(), true, header)
                    : either(condition, all.conditions(), false, header);
        }
        if (condition instanceof Condition.Any any) {
            return wanted
                    ? either(condition, any.conditions(), true, header)
                    : together(any.conditions(), false, header);
        }
        return List.of(need(condition, wanted, header));
    }

    private List<Need> together(List<Condition> parts, boolean wanted, int[] header) {
        List<Need> needs = new ArrayList<>();
        for (Condition part : parts) {
            of(part, wanted, header).stream()
                    .filter(need -> !needs.contains(need))
                    .forEach(needs::add);
        }
        return needs.isEmpty() // parts that exclude each other
                ? List.of(NO_PACKET)
                : needs;
    }

    /** The needs of the part that misses the fewest fields. */
    private List<Need> either(
            Condition whole, List<Condition> parts, boolean wanted, int[] header) {
        if (parts.isEmpty()) {
            return List.of(NO_PACKET);
        }
        List<Need> best = null;
        Set<String> fields = new LinkedHashSet<>();
        List<String> wants = new ArrayList<>();
        boolean single = true;
        for (Condition part : parts) {
            List<Need> needs = of(part, wanted, header);
            if (best == null || count(needs) < count(best)) {
                best = needs;
            }
            single &= needs.size() == 1;
            needs.forEach(need -> fields.add(need.field()));
            if (single) {
                wants.add(needs.get(0).wants());
            }
        }
        if (best == null || !single || fields.size() > 1 || parts.size() == 1) {
            return best == null ? List.of() : best;
        }
        Need first = best.get(0);
        Condition of = first.condition() == null ? null : arriving(whole);
        List<String> distinct = wants.stream().distinct().toList();
        String words =
                distinct.stream().limit(MOST).collect(Collectors.joining(" or "))
                        + (distinct.size() > MOST
                                ? " and " + (distinct.size() - MOST) + " more"
                                : "");
        return List.of(new Need(first.field(), first.has(), words, of, wanted));
    }

    /** The condition with the TTL as it arrives. */
    private Condition arriving(Condition condition) {
        if (!vantage.forwarded()) {
            return condition;
        }
        if (condition instanceof Condition.Not not) {
            return Condition.not(arriving(not.condition()));
        }
        if (condition instanceof Condition.All all) {
            return new Condition.All(all.conditions().stream().map(this::arriving).toList());
        }
        if (condition instanceof Condition.Any any) {
            return new Condition.Any(any.conditions().stream().map(this::arriving).toList());
        }
        return Field.TTL.equals(field(condition)) ? vantage.of(condition) : condition;
    }

    /** Number of fields that needs are of. */
    static long count(List<Need> needs) {
        return needs.stream().map(Need::field).distinct().count();
    }

    private Need need(Condition condition, boolean wanted, int[] header) {
        boolean icmp = HeaderFields.isIcmp(header);
        String wants = FieldWords.wanted(condition, wanted);
        String words = wants == null ? ConditionText.of(condition) : wants;
        Field field = field(condition);
        if (condition instanceof Condition.InState) {
            return new Need("state", states(header), words, condition, wanted);
        }
        if (condition instanceof Condition.Interface of) {
            String name = of.incoming() ? "in interface" : "out interface";
            String known = of.incoming() ? assumed.inInterface() : assumed.outInterface();
            boolean met = of.incoming() ? vantage.incoming() : vantage.outgoing();
            Condition stated = met && known == null ? condition : null;
            return new Need(name, interfaceName(of, header), words, stated, wanted);
        }
        if (condition instanceof Condition.Within) {
            return new Need("time", wanted ? "outside" : "inside", words, condition, wanted);
        }
        if (field == null) {
            return new Need("condition", "not so", words, condition, wanted);
        }
        String name = FieldWords.name(field, icmp);
        return new Need(name, seen(header, field), words, arriving(condition), wanted);
    }

    /** The field that a leaf is on; null: none. */
    static @Nullable Field field(Condition condition) {
        if (condition instanceof Condition.In in) {
            return in.field();
        }
        if (condition instanceof Condition.Bits bits) {
            return bits.field();
        }
        return condition instanceof Condition.OfHost of ? of.field() : null;
    }

    /** The value of a field as the stage sees it. */
    private String seen(int[] header, Field field) {
        Translation translation = vantage.translation();
        BigInteger translated = translation == null ? null : translation.known().get(field);
        boolean fewer = vantage.forwarded() && field.equals(Field.TTL);
        if (translated == null && !fewer) {
            return FieldWords.value(header, field);
        }
        int[] there = header.clone();
        if (translated != null) {
            HeaderFields.put(there, field, translated);
        } else if (HeaderFields.of(header, field) > 0) {
            Field.TTL.put(there, HeaderFields.of(header, field) - 1);
        }
        return FieldWords.value(there, field);
    }

    private String states(int[] header) {
        return Stream.of(ConnectionState.values())
                .filter(state -> truth(new Condition.InState(Set.of(state)), header) != Truth.NO)
                .map(ConnectionState::label)
                .collect(Collectors.joining(" or "));
    }

    private String interfaceName(Condition.Interface of, int[] header) {
        String known = of.incoming() ? assumed.inInterface() : assumed.outInterface();
        boolean met = of.incoming() ? vantage.incoming() : vantage.outgoing();
        AskedFacts asked = assumed.asked();
        if (!met || known != null && known.isEmpty()) {
            return "none";
        }
        if (known != null || asked == null) {
            return known == null ? "another" : known;
        }
        Field field = of.incoming() ? Field.IN_INTERFACE : Field.OUT_INTERFACE;
        int number = HeaderFields.of(header, field) & NUMBER;
        return number == 0 || number > asked.interfaces().size()
                ? "another"
                : asked.interfaces().get(number - 1).replace("+", "*");
    }

    /** What no header tells of a condition that may hold, in words. */
    List<String> unknown(Condition condition, int[] header) {
        List<String> words = new ArrayList<>();
        addUnknown(condition, header, words);
        return words.stream().distinct().toList();
    }

    private void addUnknown(Condition condition, int[] header, List<String> words) {
        if (truth(condition, header) != Truth.MAYBE) {
            return;
        }
        if (condition instanceof Condition.Not not) {
            addUnknown(not.condition(), header, words);
        } else if (condition instanceof Condition.All all) {
            all.conditions().forEach(part -> addUnknown(part, header, words));
        } else if (condition instanceof Condition.Any any) {
            any.conditions().forEach(part -> addUnknown(part, header, words));
        } else if (condition instanceof Condition.Unknown unknown) {
            words.add(unknown.words());
        } else {
            Need need = need(condition, true, header);
            words.add(need.field() + " " + need.wants());
        }
    }
}
