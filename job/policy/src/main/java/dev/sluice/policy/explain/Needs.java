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
import dev.sluice.policy.questions.PacketWords;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Fields in which one packet misses the conditions of a stage's rules, the fewest there are. */
final class Needs {
    /** Most conditions of one field that are written out. */
    private static final int MOST = 8;

    private static final String ICMP = "icmp";

    /** The need of a condition that no packet meets. */
    static final Need NO_PACKET = new Need("packet", "this one", "none", null, true);

    private static final Condition WHOLE = Condition.is(Field.FRAGMENT, Field.FRAGMENT_NONE);

    private final ConditionTruth truth;
    private final Vantage vantage;
    private final Assumptions assumed;
    private final JudgedPacket packet;
    private final int[] header;

    /** Tells whether ports are told as type and code. */
    private boolean icmp;

    Needs(Assumptions assumed, Vantage vantage, JudgedPacket packet) {
        truth = new ConditionTruth(assumed, vantage);
        this.vantage = vantage;
        this.assumed = assumed;
        this.packet = packet;
        header = packet.header();
    }

    /** The truth of a condition. */
    Truth truth(Condition condition) {
        return truth.of(condition, header);
    }

    /** The needs of a packet that misses a condition, in the condition's order; else none. */
    List<Need> of(Condition condition) {
        icmp = HeaderFields.isIcmp(header);
        List<Need> needs = of(condition, true);
        String protocol = wanted(needs, FieldWords.name(Field.IP_PROTO, false));
        boolean other = !protocol.isEmpty() && protocol.startsWith(ICMP) != icmp;
        icmp ^= other;
        return other ? of(condition, true) : needs; // in the words of the rule's protocol
    }

    private static String wanted(List<Need> needs, String field) {
        return needs.stream()
                .filter(need -> need.field().equals(field))
                .map(Need::wants)
                .findFirst()
                .orElse("");
    }

    private List<Need> of(Condition condition, boolean wanted) {
        if (condition instanceof Condition.Not not) {
            return of(not.condition(), !wanted);
        }
        if (truth(wanted ? condition : Condition.not(condition)) != Truth.NO) {
            return List.of();
        }
        if (condition instanceof Condition.All all) {
            return wanted
                    ? together(all.conditions(), true)
                    : either(condition, all.conditions(), false);
        }
        if (condition instanceof Condition.Any any) {
            return wanted
                    ? either(condition, any.conditions(), true)
                    : together(any.conditions(), false);
        }
        return List.of(need(condition, wanted));
    }

    private List<Need> together(List<Condition> parts, boolean wanted) {
        List<Need> needs = new ArrayList<>();
        for (Condition part : parts) {
            of(part, wanted).stream().filter(need -> !needs.contains(need)).forEach(needs::add);
        }
        return needs.isEmpty() // parts that exclude each other
                ? List.of(NO_PACKET)
                : needs;
    }

    /** The needs of the part that misses the fewest fields. */
    private List<Need> either(Condition whole, List<Condition> parts, boolean wanted) {
        if (parts.isEmpty()) {
            return List.of(NO_PACKET);
        }
        List<Need> best = null;
        Set<String> fields = new LinkedHashSet<>();
        List<String> wants = new ArrayList<>();
        boolean single = true;
        for (Condition part : parts) {
            List<Need> needs = of(part, wanted);
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
        List<String> distinct =
                wants.stream().flatMap(one -> Stream.of(one.split(" or "))).distinct().toList();
        String words =
                distinct.stream().limit(MOST).collect(Collectors.joining(" or "))
                        + (distinct.size() > MOST
                                ? " and " + (distinct.size() - MOST) + " more"
                                : "");
        return List.of(new Need(first.field(), first.has(), words, of, wanted));
    }

    /** The condition with the TTL as it arrives. */
    private Condition arriving(Condition condition) {
        return Condition.map(
                condition, one -> Field.TTL.equals(Condition.field(one)) ? vantage.of(one) : one);
    }

    /** The need of another state; has null: it is unknown. */
    static Need state(@Nullable ConnectionState has, ConnectionState wants) {
        String before = has == null ? "unknown" : has.label();
        return new Need("connection", before, wants.label(), null, true);
    }

    /** Number of fields that needs are of. */
    static long count(List<Need> needs) {
        return needs.stream().map(Need::field).distinct().count();
    }

    private Need need(Condition condition, boolean wanted) {
        String wants = FieldWords.wanted(condition, wanted);
        String words = wants == null ? ConditionText.of(condition) : wants;
        Field field = field(condition);
        if (condition instanceof Condition.InState) {
            return new Need("state", states(), words, condition, wanted);
        }
        if (condition instanceof Condition.Interface of) {
            String name = of.incoming() ? "in interface" : "out interface";
            String known = of.incoming() ? assumed.inInterface() : assumed.outInterface();
            boolean met = of.incoming() ? vantage.incoming() : vantage.outgoing();
            Condition stated = met && known == null ? condition : null;
            return new Need(name, interfaceName(of), words, stated, wanted);
        }
        if (condition instanceof Condition.Within) {
            return new Need("time", wanted ? "outside" : "inside", words, condition, wanted);
        }
        if (field == null) {
            String name = condition instanceof Condition.Tracked ? "connection" : "condition";
            return new Need(name, "not so", words, condition, wanted);
        }
        String name = FieldWords.name(field, icmp);
        return new Need(name, seen(field), words, arriving(condition), wanted);
    }

    /** The field that a leaf is on, also if its values are a host's; null: none. */
    static @Nullable Field field(Condition condition) {
        return condition instanceof Condition.OfHost of ? of.field() : Condition.field(condition);
    }

    /** The value of a field as the stage sees it. */
    private String seen(Field field) {
        if (field.equals(Field.FRAGMENT) && HeaderFields.of(header, field) != Field.FRAGMENT_NONE) {
            boolean whole = truth(WHOLE) == Truth.YES;
            return whole ? "reassembled before" : FieldWords.value(header, field);
        }
        Translation translation = vantage.translation();
        BigInteger translated = translation == null ? null : translation.known().get(field);
        boolean fewer = vantage.forwarded() && field.equals(Field.TTL);
        if (translated == null && !fewer) {
            boolean other = field.word() == HeaderWord.PORTS && icmp != HeaderFields.isIcmp(header);
            return other ? FieldWords.NONE : FieldWords.value(header, field);
        }
        int[] there = header.clone();
        if (translated != null) {
            HeaderFields.put(there, field, translated);
        } else if (HeaderFields.of(header, field) > 0) {
            Field.TTL.put(there, HeaderFields.of(header, field) - 1);
        }
        return FieldWords.value(there, field);
    }

    String states() {
        return Stream.of(ConnectionState.values())
                .filter(state -> truth(new Condition.InState(Set.of(state))) != Truth.NO)
                .map(ConnectionState::label)
                .collect(Collectors.joining(" or "));
    }

    private String interfaceName(Condition.Interface of) {
        String known = of.incoming() ? assumed.inInterface() : assumed.outInterface();
        boolean met = of.incoming() ? vantage.incoming() : vantage.outgoing();
        AskedFacts asked = assumed.asked();
        if (!met || known != null && known.isEmpty()) {
            return FieldWords.NONE;
        }
        if (known != null || asked == null) {
            return known != null ? known : PacketWords.OTHER;
        }
        Field field = of.incoming() ? Field.IN_INTERFACE : Field.OUT_INTERFACE;
        String name = packet.interfaceName(field, asked);
        return name.isEmpty() ? PacketWords.OTHER : name;
    }

    /** Facts that no header tells of a condition that may hold, in words. */
    List<String> unknown(Condition condition) {
        List<String> words = new ArrayList<>();
        addUnknown(condition, words);
        return words.stream().distinct().toList();
    }

    private void addUnknown(Condition condition, List<String> words) {
        if (truth(condition) != Truth.MAYBE) {
            return;
        }
        if (condition instanceof Condition.Not not) {
            addUnknown(not.condition(), words);
        } else if (condition instanceof Condition.All all) {
            all.conditions().forEach(part -> addUnknown(part, words));
        } else if (condition instanceof Condition.Any any) {
            any.conditions().forEach(part -> addUnknown(part, words));
        } else if (condition instanceof Condition.Unknown unknown) {
            words.add(unknown.words());
        } else {
            Need need = need(condition, true);
            words.add(need.field() + " " + need.wants());
        }
    }
}
