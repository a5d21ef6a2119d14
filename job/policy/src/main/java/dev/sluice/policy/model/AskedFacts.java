package dev.sluice.policy.model;

import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
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
 * <p>A bit of the header says whether the packet's time lies in a period, and one whether it has a
 * time.
 *
 * @param interfaces the names; a final {@code +} stands for any further characters
 * @param periods the periods, of which the first ones have a bit
 * @param hook the hook that packets meet, in upper case; empty: any
 */
public record AskedFacts(List<String> interfaces, List<Period> periods, String hook) {
    /** Nothing is asked for. */
    public static final AskedFacts NONE = new AskedFacts(List.of(), List.of(), "");

    /** Field that has the bits of periods. */
    public static final Field TIMES = Field.IN_INTERFACE;

    /** Bits of a packet without a time. */
    public static final Bits NO_TIME = new Bits(0, 1 << 18);

    /** Most periods that captures tell. */
    public static final int MOST_PERIODS = 13;

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
        if (interfaces.size() > NUMBER) {
            throw new IllegalArgumentException(
                    "rules name more than %,d interfaces".formatted(NUMBER));
        }
    }

    /** Bits of a header field, as a value and a mask. */
    public record Bits(int value, int mask) {}

    /**
     * Names and periods that conditions ask for.
     *
     * @param times whether packets are judged at their own times
     */
    public static AskedFacts of(Stream<Condition> conditions, boolean times) {
        Set<String> names = new TreeSet<>();
        Set<Period> periods = new LinkedHashSet<>();
        conditions.forEach(condition -> add(condition, names, periods));
        return new AskedFacts(List.copyOf(names), times ? List.copyOf(periods) : List.of(), "");
    }

    private static void add(Condition condition, Set<String> names, Set<Period> periods) {
        if (condition instanceof Condition.Not not) {
            add(not.condition(), names, periods);
        } else if (condition instanceof Condition.All all) {
            all.conditions().forEach(one -> add(one, names, periods));
        } else if (condition instanceof Condition.Any any) {
            any.conditions().forEach(one -> add(one, names, periods));
        } else if (condition instanceof Condition.Interface of) {
            names.add(of.name());
        } else if (condition instanceof Condition.Within within) {
            periods.add(within.period());
        }
    }

    /** The same of packets that meet a hook. */
    AskedFacts meeting(String name) {
        return new AskedFacts(interfaces, periods, name);
    }

    /** Returns whether nothing is asked for. */
    public boolean isEmpty() {
        return interfaces.isEmpty() && periods.isEmpty();
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
     * The value of a header field for the name of an interface; 0 stands for no name.
     *
     * @param certain whether the packet came in, or leaves, by it; else it was captured there, in
     *     either direction
     */
    public int value(String name, boolean certain) {
        int number = isBegin(name) ? 0 : 1 + interfaces.indexOf(name);
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
        if (!interfaces.contains(asked.name())) {
            throw new IllegalArgumentException(asked.name() + " has no number");
        }
        int known = unknown(asked).mask;
        List<Bits> bits = new ArrayList<>();
        for (int number = 0; number <= interfaces.size(); number++) {
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
        if (!isBegin(name)) {
            return asked.fits(name);
        }
        return isBegin(asked.name()) && begin(name).startsWith(begin(asked.name()));
    }

    /** The values of packets whose interface is unknown. */
    public Bits unknown(Condition.Interface asked) {
        boolean either = hook.equals(asked.incoming() ? "INPUT" : "OUTPUT");
        return new Bits(0, either ? CAPTURED : CERTAIN);
    }
}
