package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.model.ConditionText;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.ValueSet.Range;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Addresses, ports and protocols of the packets that a rule decided about, to be held against those
 * that it decides about at most. Of a field it keeps {@value #MOST} values, and beyond these a
 * prefix or range that holds all. Not thread-safe.
 */
public final class UsedParts {
    /** Most values of a field that are told one by one. */
    private static final int MOST = 8;

    /** Most ranges of a rule that are held against the values of packets. */
    private static final int MOST_RANGES = 64;

    private final Values[] used = new Values[Part.values().length];

    /** Values of no packet. */
    public UsedParts() {
        for (Part part : Part.values()) {
            used[part.ordinal()] = new Values();
        }
    }

    /** A field of packets. */
    private enum Part {
        PROTOCOL("protocol", Field.IP_PROTO, Form.PROTOCOL),
        SOURCE_4("source", Field.IPV4_SRC, Form.ADDRESS),
        DESTINATION_4("destination", Field.IPV4_DST, Form.ADDRESS),
        SOURCE_6("source", Field.IPV6_SRC, Form.ADDRESS),
        DESTINATION_6("destination", Field.IPV6_DST, Form.ADDRESS),
        SOURCE_PORT("source port", Field.SRC_PORT, Form.PORT),
        DESTINATION_PORT("destination port", Field.DST_PORT, Form.PORT);

        private enum Form {
            PROTOCOL,
            ADDRESS,
            PORT
        }

        private final String label;

        @SuppressWarnings("ImmutableEnumChecker") // a record of a text and numbers
        private final Field field;

        private final Form form;

        Part(String label, Field field, Form form) {
            this.label = label;
            this.field = field;
            this.form = form;
        }

        /** Returns whether a packet has the field; types and codes of ICMP are no ports. */
        boolean isIn(int[] header) {
            return FieldBits.isIn(header, field)
                    && (form != Form.PORT || !PacketWords.isIcmp(header));
        }

        long wordBits() {
            return (1L << (field.bits() + 31) / 32) - 1 << field.word();
        }

        long high(int[] words) {
            return field.bits() > 32 ? two(words[field.word()], words[field.word() + 1]) : 0;
        }

        long low(int[] words) {
            return field.bits() > 32
                    ? two(words[field.word() + 2], words[field.word() + 3])
                    : Integer.toUnsignedLong(field.extract(words[field.word()]));
        }

        private static long two(int high, int low) {
            return (long) high << 32 | Integer.toUnsignedLong(low);
        }
    }

    /** Values that packets had. */
    private static final class Values {
        private final long[] high = new long[MOST];
        private final long[] low = new long[MOST];
        private int count;
        private boolean more;

        /** Bits in which values differ from the first one. */
        private long differHigh;

        private long differLow;
        private long least = Long.MAX_VALUE;
        private long most;

        void add(long h, long l) {
            for (int i = 0; i < count; i++) {
                if (low[i] == l && high[i] == h) {
                    return;
                }
            }
            if (count < MOST) {
                high[count] = h;
                low[count++] = l;
            } else {
                more = true;
            }
            differHigh |= h ^ high[0];
            differLow |= l ^ low[0];
            least = Math.min(least, l); // of fields of up to 32 bits
            most = Math.max(most, l);
        }

        /** The values, or what holds all where there are too many. */
        List<Range> ranges(Part part) {
            List<Range> ranges = new ArrayList<>();
            if (!more) {
                for (int i = 0; i < count; i++) {
                    BigInteger value = number(high[i], low[i]);
                    ranges.add(new Range(value, value));
                }
                ranges.sort(Comparator.comparing(Range::low));
            } else if (part.form == Part.Form.ADDRESS) {
                int bits = number(differHigh, differLow).bitLength();
                BigInteger begin = number(high[0], low[0]).shiftRight(bits).shiftLeft(bits);
                ranges.add(new Range(begin, begin.add(ValueSet.ones(bits))));
            } else {
                ranges.add(new Range(BigInteger.valueOf(least), BigInteger.valueOf(most)));
            }
            return ranges;
        }
    }

    private static BigInteger number(long high, long low) {
        BigInteger lower = new BigInteger(Long.toUnsignedString(low));
        return new BigInteger(Long.toUnsignedString(high)).shiftLeft(Long.SIZE).or(lower);
    }

    /** Returns whether a box may take a packet, as far as addresses, ports and protocol tell. */
    public static boolean mayTake(Match box, int[] header) {
        for (Part part : Part.values()) {
            Field field = part.field;
            int all = field.bits() < Integer.SIZE ? field.maskInWord() : -1;
            for (int i = 0; i < (field.bits() + 31) / 32; i++) {
                int word = field.word() + i;
                if ((box.mask(word) & all & (box.value(word) ^ header[word])) != 0) {
                    return false;
                }
            }
        }
        return holds(box.srcPorts(), Field.SRC_PORT, header)
                && holds(box.dstPorts(), Field.DST_PORT, header);
    }

    private static boolean holds(int range, Field field, int[] header) {
        int port = field.extract(header[field.word()]);
        return port >= range >>> Match.RANGE_LOW_SHIFT && port <= (range & Match.RANGE_HIGH);
    }

    /** The words of headers with these fields, a bit each. */
    public static long wordBits() {
        long words = 0;
        for (Part part : Part.values()) {
            words |= part.wordBits();
        }
        return words;
    }

    /**
     * Adds a packet.
     *
     * @param header its {@link HeaderWord}s
     * @param named bits of the words that rules name; fields of other words are not told
     */
    public void add(int[] header, long named) {
        for (Part part : Part.values()) {
            if ((named & part.wordBits()) != 0 && part.isIn(header)) {
                used[part.ordinal()].add(part.high(header), part.low(header));
            }
        }
    }

    /**
     * The fields of which a rule takes more than packets had, in words; empty: none. That a rule
     * takes any source port is not told: who sends draws it.
     *
     * @param boxes packets that the rule decides about at most
     */
    String narrower(Collection<Match> boxes) {
        List<String> words = new ArrayList<>();
        for (Part part : Part.values()) {
            Values values = used[part.ordinal()];
            List<Range> allowed = values.count == 0 ? List.of() : allowed(part, boxes);
            List<Range> had = values.ranges(part);
            boolean free = part == Part.SOURCE_PORT && text(part, allowed).equals("any");
            if (!allowed.isEmpty() && !free && isMore(allowed, had, values.more)) {
                words.add(
                        "%s %s: only %s"
                                .formatted(part.label, text(part, allowed), text(part, had)));
            }
        }
        return String.join("; ", words);
    }

    private static boolean isMore(List<Range> allowed, List<Range> had, boolean hull) {
        if (hull) {
            return allowed.get(0).low().compareTo(had.get(0).low()) < 0
                    || allowed.get(allowed.size() - 1).high().compareTo(had.get(0).high()) > 0;
        }
        return allowed.stream()
                        .map(Range::size)
                        .reduce(BigInteger.ZERO, BigInteger::add)
                        .compareTo(BigInteger.valueOf(had.size()))
                > 0;
    }

    /** The values that boxes leave a field, ascending, apart; empty: not told. */
    private static List<Range> allowed(Part part, Collection<Match> boxes) {
        List<Range> all = new ArrayList<>();
        for (Match box : boxes) {
            Range range = range(part, box);
            if (range == null) {
                return List.of();
            }
            all.add(range);
        }
        List<Range> apart = new ValueSet(all).ranges();
        return apart.size() > MOST_RANGES ? List.of() : apart;
    }

    /** The values that a box leaves a field; null: a mask has holes. */
    private static @Nullable Range range(Part part, Match box) {
        int bits = part.field.bits();
        int[] value = new int[HeaderWord.COUNT];
        int[] mask = new int[HeaderWord.COUNT];
        for (int word = part.field.word(); word < part.field.word() + (bits + 31) / 32; word++) {
            value[word] = box.value(word);
            mask[word] = box.mask(word);
        }
        BigInteger of = number(part.high(mask), part.low(mask));
        BigInteger free = ValueSet.ones(bits).subtract(of);
        if (free.and(free.add(BigInteger.ONE)).signum() != 0) {
            return null;
        }
        BigInteger low = number(part.high(value), part.low(value));
        BigInteger high = low.add(free);
        if (part.form == Part.Form.PORT) {
            int range = part == Part.SOURCE_PORT ? box.srcPorts() : box.dstPorts();
            low = low.max(BigInteger.valueOf(range >>> Match.RANGE_LOW_SHIFT));
            high = high.min(BigInteger.valueOf(range & Match.RANGE_HIGH));
        }
        return new Range(low, high);
    }

    private static String text(Part part, List<Range> ranges) {
        return ranges.size() > MOST
                ? ranges.size() + " parts"
                : ranges.stream().map(range -> text(part, range)).collect(Collectors.joining(","));
    }

    private static String text(Part part, Range range) {
        int bits = range.size().bitLength() - 1;
        if (bits == part.field.bits()) {
            return "any";
        }
        String low = text(part, range.low());
        if (bits == 0) {
            return low;
        }
        return part.form == Part.Form.ADDRESS && range.isPrefix()
                ? low + "/" + (part.field.bits() - bits)
                : low + "-" + text(part, range.high());
    }

    private static String text(Part part, BigInteger value) {
        if (part.form == Part.Form.PROTOCOL) {
            return PacketWords.protocol(value.intValue());
        }
        return part.form == Part.Form.PORT
                ? value.toString()
                : ConditionText.value(part.field, value);
    }
}
