package dev.sluice.policy.model;

import dev.sluice.schemas.header.Field;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Names of interfaces and periods of time that a policy asks for, so that captures can tell them of
 * their packets.
 *
 * <p>A header has a number for the name of its interface: that of the name itself, else that of the
 * longest begin of a name which the policy asks for, else 0. So names that no rule tells apart
 * share a number, and a policy is compiled before any name of a capture is known.
 *
 * <p>Messages of a packets topic have the numbers of a list of names that exporter and policy
 * share: a name that is not listed has none, so that a policy may ask for other names in a later
 * version.
 *
 * <p>A bit of the header says whether the packet's time lies in a period, and one whether it has a
 * time.
 *
 * @param interfaces the names; a final {@code +} stands for any further characters
 * @param periods the periods, of which the first ones have a bit
 * @param hook the hook that packets meet, in upper case; empty: any
 * @param listed whether the names are those of a list, not of a policy
 */
public record AskedFacts(List<String> interfaces, List<Period> periods, String hook, boolean listed)
        implements Serializable {
    /** Nothing is asked for. */
    public static final AskedFacts NONE = new AskedFacts(List.of(), List.of(), "", false);

    /** Field that has the bits of periods. */
    public static final Field TIMES = Field.IN_INTERFACE;

    /** Bits of a packet without a time. */
    public static final Bits NO_TIME = new Bits(0, 1 << 18);

    /** Most periods that captures tell. */
    public static final int MOST_PERIODS = 13;

    /** Value of an interface whose name is known, and of which no rule asks. */
    public static final int OF_NO_NAME = 0x3_0000;

    private static final int FIRST_PERIOD = 19;
    private static final int NUMBER = 0xffff;

    /** Bit of a packet that was captured on the interface. */
    private static final int CAPTURED = 0x1_0000;

    /** Bit of a packet that came in, or leaves, by the interface. */
    private static final int CERTAIN = 0x2_0000;

    /** Copies the list. */
    public AskedFacts {
        interfaces = List.copyOf(interfaces);
        periods = List.copyOf(periods);
        if (interfaces.size() >= NUMBER) {
            throw new IllegalArgumentException(
                    "more than %,d names of interfaces".formatted(NUMBER - 1));
        }
    }

    /** Bits of a header field, as a value and a mask. */
    public record Bits(int value, int mask) {}

    /** The facts that messages tell: interfaces by their places in a list of names, from 1. */
    public static AskedFacts listed(List<String> names) {
        return new AskedFacts(names, List.of(), "", true);
    }

    /**
     * These, with names and periods that conditions ask for.
     *
     * @param times whether packets are judged at their own times
     * @param host the host that the conditions are of; null: unknown
     */
    public AskedFacts and(Stream<Condition> conditions, boolean times, @Nullable Host host) {
        Set<String> names = new TreeSet<>();
        Set<Period> asked = new LinkedHashSet<>();
        conditions.forEach(
                condition -> Condition.forEachLeaf(condition, one -> add(one, names, asked, host)));
        return listed ? this : and(names, times ? asked : Set.of());
    }

    /** The facts that two policies ask for. */
    public AskedFacts and(AskedFacts other) {
        return and(other.interfaces, other.periods);
    }

    private AskedFacts and(Collection<String> names, Collection<Period> times) {
        Set<String> all = new TreeSet<>(interfaces);
        all.addAll(names);
        Set<Period> of = new LinkedHashSet<>(periods);
        of.addAll(times);
        return new AskedFacts(List.copyOf(all), List.copyOf(of), hook, false);
    }

    private static void add(
            Condition condition, Set<String> names, Set<Period> periods, @Nullable Host host) {
        if (condition instanceof Condition.Interface of) {
            names.add(of.name());
        } else if (host != null
                && condition instanceof Condition.OfHost of
                && of.type() == Condition.AddressType.RETURNING) {
            names.addAll(ReversePaths.interfaces(host));
        } else if (condition instanceof Condition.Within within) {
            periods.add(within.period());
        }
    }

    /** The same of packets that meet a hook. */
    AskedFacts meeting(String name) {
        return new AskedFacts(interfaces, periods, name, listed);
    }

    /** Returns whether nothing is asked for. */
    public boolean isEmpty() {
        return interfaces.isEmpty() && periods.isEmpty();
    }

    /** Returns whether a condition names the interface, or the begin of its name. */
    public boolean asksFor(String name) {
        return interfaces.stream().anyMatch(of -> new Condition.Interface(true, of).fits(name));
    }

    /** The bits of {@link #TIMES} for a packet's time, in seconds since 1970. */
    public int bits(long second) {
        int bits = NO_TIME.mask;
        for (int i = 0; i < Math.min(periods.size(), MOST_PERIODS); i++) {
            bits |= periods.get(i).holds(second) ? 1 << FIRST_PERIOD + i : 0;
        }
        return bits;
    }

    /** The bits of packets whose time is in a period, or not; null: the period has no bit. */
    public @Nullable Bits within(Period period, boolean negated) {
        int index = periods.indexOf(period);
        if (index < 0 || index >= MOST_PERIODS) {
            return null;
        }
        int bit = 1 << FIRST_PERIOD + index;
        return new Bits(NO_TIME.mask | (negated ? 0 : bit), NO_TIME.mask | bit);
    }

    /**
     * The value of a header field for the name of an interface; 0: the name is not listed.
     *
     * @param certain whether the packet came in, or leaves, by it; else it was captured there, in
     *     either direction
     */
    public int value(String name, boolean certain) {
        int number = isBegin(name) ? 0 : 1 + interfaces.indexOf(name);
        if (number == 0 && listed) {
            return 0;
        }
        if (number == 0) {
            int longest = 0;
            for (int i = 0; i < interfaces.size(); i++) {
                String asked = interfaces.get(i);
                if (isBegin(asked) && name.startsWith(begin(asked)) && asked.length() > longest) {
                    longest = asked.length();
                    number = i + 1;
                }
            }
        }
        return number | CAPTURED | (certain ? CERTAIN : 0);
    }

    private static boolean isBegin(String name) {
        return name.endsWith("+");
    }

    private static String begin(String name) {
        return name.substring(0, name.length() - 1);
    }

    /** The values of packets whose interface is known, and fits a condition or its opposite. */
    public List<Bits> fitting(Condition.Interface asked, boolean negated) {
        if (!listed && !interfaces.contains(asked.name())) {
            throw new IllegalArgumentException(asked.name() + " has no number");
        }
        int known = known(asked);
        List<Bits> bits = new ArrayList<>();
        for (int number = listed ? 1 : 0; number <= interfaces.size(); number++) {
            if (fits(asked, number) != negated) {
                bits.add(new Bits(known | number, known | NUMBER));
            }
        }
        return bits;
    }

    private boolean fits(Condition.Interface asked, int number) {
        if (number == 0) {
            return asked.name().equals("+");
        }
        String name = interfaces.get(number - 1);
        if (listed || !isBegin(name)) {
            return asked.fits(name);
        }
        return isBegin(asked.name()) && begin(name).startsWith(begin(asked.name()));
    }

    /** The values of packets whose interface is unknown, or has a number behind the list. */
    public List<Bits> unknown(Condition.Interface asked) {
        int known = known(asked);
        List<Bits> bits = new ArrayList<>(List.of(new Bits(0, known)));
        if (listed) {
            ValueSet others = ValueSet.of(1, interfaces.size()).complement(Short.SIZE);
            for (ValueSet.Prefix of : others.prefixes(Short.SIZE)) {
                bits.add(new Bits(known | of.value().intValue(), known | of.mask().intValue()));
            }
        }
        return bits;
    }

    /** The bit of packets whose interface is known. */
    private int known(Condition.Interface asked) {
        boolean either = hook.equals(asked.incoming() ? "INPUT" : "OUTPUT");
        return either ? CAPTURED : CERTAIN;
    }
}
