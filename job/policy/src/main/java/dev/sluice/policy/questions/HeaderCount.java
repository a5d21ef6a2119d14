package dev.sluice.policy.questions;

import dev.sluice.policy.questions.BoxList.Region;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Numbers of headers of regions, exactly.
 *
 * <p>Headers differ in IP version, protocol, addresses, ports (of ICMP type and code) and fragment
 * (whole, first, later), and in each other field that a rule of the space asks for. A field that a
 * packet lacks has one value.
 */
final class HeaderCount {
    /** Bits of the ports that types and codes of ICMP have. */
    private static final int CODES = 0x00ff00ff;

    /** Words that always count, beside the kinds. */
    private static final long FIVE_TUPLE = 0b111 | 0xffL << HeaderWord.IPV6_SRC;

    private final HeaderSpace space;
    private final int size;
    private final List<Shape> shapes = new ArrayList<>();

    private static final List<Field> OF_ARP =
            List.of(Field.ARP_PRESENT, Field.ARP_OP, Field.ARP_SPA, Field.ARP_TPA);

    private static final List<Field> OF_SPI = List.of(Field.SPI_PRESENT, Field.SPI);

    /** Ethernet types of ARP and RARP. */
    private static final Set<Integer> ARP_TYPES = Set.of(0x0806, 0x8035);

    /** Headers of each kind of each shape, but for the dimensions: a number a kind and shape. */
    private final long[][] parts;

    /** Bits of the dimension that say that a field is present, and the field's bits. */
    private record Presence(int dimension, long bit, long[] field) {}

    private final List<Presence> presences = new ArrayList<>();

    /** Dimensions that have a bit or field of a {@link Presence}. */
    private final boolean[] coupled;

    /**
     * Numbers of values of a dimension below each of its coordinates.
     *
     * @param wide whether there are 2^64
     */
    private record Values(long[] below, boolean wide) {}

    private final Map<List<Object>, Values> known = new HashMap<>();

    /** Headers that lack the same fields. */
    private static final class Shape {
        final boolean icmp;

        /**
         * Bits of each dimension that are 0: of fields that packets lack, and that no rule asks.
         */
        final long[] absent;

        /** Number of bits of the addresses and ports that no dimension has. */
        int free;

        final Values[] values;

        /** Values of the coupled dimensions, by the bits of the fields that are present. */
        final List<Values[]> present = new ArrayList<>();

        Shape(boolean icmp, int dimensions) {
            this.icmp = icmp;
            absent = new long[dimensions];
            values = new Values[dimensions];
        }
    }

    HeaderCount(HeaderSpace space) {
        this.space = space;
        size = space.size();
        coupled = new boolean[size];
        Map<List<Object>, Integer> numbers = new HashMap<>();
        List<long[]> all = new ArrayList<>();
        int most = 3 * 2 * 2 * 2 * 2;
        boolean asksSpi =
                space.dimensions.stream()
                        .anyMatch(of -> OF_SPI.stream().anyMatch(spi -> asks(of, spi)));
        for (int kind = 0; kind < space.kinds.size(); kind++) {
            long[] counts = new long[most];
            for (Kinds.Part part : space.kinds.parts(kind)) {
                int[] header = part.header();
                int version = Field.IP_VERSION.extract(header[HeaderWord.IP]);
                boolean ports = Field.PORTS_PRESENT.extract(header[HeaderWord.IP]) == 1;
                boolean icmp = ports && isIcmp(header);
                boolean arp =
                        ARP_TYPES.contains(Field.ETH_TYPE.extract(header[Field.ETH_TYPE.word()]));
                boolean spi =
                        !asksSpi
                                || version == Field.VERSION_6
                                || version == Field.VERSION_4
                                        && Kinds.SPI_PROTOCOLS.contains(
                                                Field.IP_PROTO.extract(header[HeaderWord.IP]));
                int shape =
                        numbers.computeIfAbsent(
                                List.of(version, ports, icmp, arp, spi), fresh -> shapes.size());
                if (shape == shapes.size()) {
                    shapes.add(shape(header, version, ports, icmp));
                    if (!arp) {
                        lack(shapes.get(shape), OF_ARP);
                    }
                    if (!spi) {
                        lack(shapes.get(shape), OF_SPI);
                    }
                }
                counts[shape] += part.count();
            }
            all.add(counts);
        }
        parts = all.toArray(long[][]::new);
        for (Field field : Field.values()) {
            Field present = field.present();
            if (present != null && (present.maskInWord() & Kinds.BITS[present.word()]) == 0) {
                addPresence(field, present);
            }
        }
        shapes.forEach(this::prepare);
    }

    private static boolean asks(Dimension of, Field field) {
        return (of.bitsOf(field.word(), field.maskInWord()) & of.asked()) != 0;
    }

    private static boolean isIcmp(int[] header) {
        int protocol = Field.IP_PROTO.extract(header[HeaderWord.IP]);
        return protocol == 1 || protocol == 58;
    }

    /** Makes fields 0 in packets of a shape. */
    private void lack(Shape shape, List<Field> fields) {
        for (int d = 0; d < size; d++) {
            for (Field field : fields) {
                shape.absent[d] |= space.dimensions.get(d).bitsOf(field.word(), field.maskInWord());
            }
        }
    }

    private Shape shape(int[] header, int version, boolean ports, boolean icmp) {
        Shape shape = new Shape(icmp, size);
        boolean v4 = version == Field.VERSION_4;
        boolean v6 = version == Field.VERSION_6;
        int bits = v4 ? 64 : v6 ? 256 : 0;
        bits += !ports ? 0 : icmp ? 16 : 32;
        for (int d = 0; d < size; d++) {
            Dimension of = space.dimensions.get(d);
            int word = of.word();
            boolean lacks = Subtraction.lacks(header, word);
            if (lacks) {
                shape.absent[d] = -1;
            } else if (version == Field.VERSION_NONE) {
                for (Field field : List.of(Field.TOS, Field.TTL, Field.IP_LENGTH)) {
                    shape.absent[d] |= of.bitsOf(field.word(), field.maskInWord());
                }
            }
            if (!v6) {
                Field field = Field.IPV6_EXTENSIONS;
                shape.absent[d] |= of.bitsOf(field.word(), field.maskInWord());
            }
            if ((FIVE_TUPLE >>> word & 1) == 0) {
                shape.absent[d] |= of.bits() & ~of.asked();
            } else if (!lacks) {
                long own = of.bits();
                if (icmp && word == HeaderWord.PORTS) { // a type or code has the lower 8 bits
                    own &= of.bitsOf(word, CODES);
                }
                bits -= Long.bitCount(own);
            }
        }
        shape.free = bits;
        return shape;
    }

    private void addPresence(Field field, Field present) {
        long[] of = new long[size];
        boolean any = false;
        int at = -1;
        for (int d = 0; d < size; d++) {
            Dimension one = space.dimensions.get(d);
            boolean isKnown = field.bits() <= Integer.SIZE || field.bits() == Dimension.MAC_BITS;
            of[d] = isKnown ? one.bitsOf(field) & one.asked() : 0;
            any |= of[d] != 0;
            at = one.bitsOf(present.word(), present.maskInWord()) != 0 ? d : at;
        }
        if (!any || at < 0) {
            return;
        }
        long bit = space.dimensions.get(at).bitsOf(present.word(), present.maskInWord());
        presences.add(new Presence(at, bit, of));
        for (int d = 0; d < size; d++) {
            coupled[d] |= d == at || of[d] != 0;
        }
    }

    /** The number of headers of a region. */
    BigInteger of(Region region) {
        BigInteger sum = BigInteger.ZERO;
        for (int at = 0; at < shapes.size(); at++) {
            long weight = 0;
            for (int w = 0; w < region.kinds().length; w++) {
                for (long left = region.kinds()[w]; left != 0; left &= left - 1) {
                    weight += parts[64 * w + Long.numberOfTrailingZeros(left)][at];
                }
            }
            if (weight > 0) {
                sum = sum.add(of(region, shapes.get(at), weight));
            }
        }
        return sum;
    }

    private BigInteger of(Region region, Shape shape, long weight) {
        Product product = new Product(weight);
        for (int d = 0; d < size && !product.isZero(); d++) {
            if (!coupled[d]) {
                multiply(product, region, shape.values[d], d);
            }
        }
        BigInteger all = product.value();
        if (!presences.isEmpty() && all.signum() > 0) {
            BigInteger sum = BigInteger.ZERO;
            for (Values[] present : shape.present) {
                Product values = new Product(1);
                for (int d = 0; d < size && !values.isZero(); d++) {
                    if (coupled[d]) {
                        multiply(values, region, present[d], d);
                    }
                }
                sum = values.isZero() ? sum : sum.add(values.value());
            }
            all = all.multiply(sum);
        }
        return all.shiftLeft(shape.free);
    }

    private static void multiply(Product product, Region region, Values values, int d) {
        int first = region.bounds()[2 * d];
        int behind = region.bounds()[2 * d + 1] + 1;
        int[] runs = region.runs()[d];
        if (runs != null) {
            long sum = 0;
            for (int i = 0; i < runs.length; i += 2) {
                sum += values.below[runs[i + 1] + 1] - values.below[runs[i]];
            }
            product.times(sum);
        } else if (values.wide && first == 0 && behind == values.below.length - 1) {
            product.times(Long.MIN_VALUE); // 2^64 in two steps
            product.times(2);
        } else {
            product.times(values.below[behind] - values.below[first]);
        }
    }

    /** Prepares the values of each dimension where headers lack the fields of a shape. */
    private void prepare(Shape shape) {
        for (int d = 0; d < size; d++) {
            shape.values[d] = values(shape, d, shape.absent[d], 0);
        }
        for (int present = 0; present < 1 << presences.size(); present++) {
            if (!isPossible(shape, present)) {
                continue;
            }
            Values[] all = new Values[size];
            for (int d = 0; d < size; d++) {
                long mask = shape.absent[d];
                long value = 0;
                for (int i = 0; i < presences.size(); i++) {
                    Presence one = presences.get(i);
                    boolean is = (present >>> i & 1) != 0;
                    mask |= one.dimension == d ? one.bit : 0;
                    value |= one.dimension == d && is ? one.bit : 0;
                    mask |= is ? 0 : one.field[d];
                }
                if (coupled[d]) {
                    all[d] = values(shape, d, mask, value);
                }
            }
            shape.present.add(all);
        }
    }

    /** Returns whether packets of a shape may have fields: a bit each of {@link #presences}. */
    private boolean isPossible(Shape shape, int present) {
        for (int i = 0; i < presences.size(); i++) {
            Presence one = presences.get(i);
            if ((present >>> i & 1) != 0 && (shape.absent[one.dimension] & one.bit) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Counts the values of a dimension of which some bits are given. */
    private Values values(Shape shape, int d, long fixed, long value) {
        Dimension of = space.dimensions.get(d);
        long mask = fixed & of.bits();
        if (shape.icmp && of.word() == HeaderWord.PORTS) {
            mask |= of.bits() & ~of.bitsOf(HeaderWord.PORTS, CODES);
        }
        long given = mask;
        return known.computeIfAbsent(
                List.of(d, mask, value),
                fresh -> {
                    long[] below = new long[of.size() + 1];
                    for (int at = 0; at < of.size(); at++) {
                        below[at] = below(of.first(at), given, value);
                    }
                    long last = of.last(of.size() - 1);
                    below[of.size()] =
                            below(last, given, value) + (matches(last, given, value) ? 1 : 0);
                    return new Values(below, given == 0 && last == -1);
                });
    }

    private static boolean matches(long of, long mask, long value) {
        return (of & mask) == value;
    }

    /** Values below a bound whose bits of a mask are given; fewer than 2^64. */
    private static long below(long bound, long mask, long value) {
        long count = 0;
        for (int bit = 63; bit >= 0; bit--) {
            long one = 1L << bit;
            boolean given = (mask & one) != 0;
            if ((bound & one) != 0) {
                if (!given || (value & one) == 0) {
                    count += 1L << bit - Long.bitCount(mask & one - 1);
                }
                if (given && (value & one) == 0) {
                    return count;
                }
            } else if (given && (value & one) != 0) {
                return count;
            }
        }
        return count;
    }

    /** Product that is a long while it fits. */
    private static final class Product {
        private long small;
        private BigInteger large = BigInteger.ONE;

        Product(long first) {
            small = first;
        }

        /** Multiplies by an unsigned factor. */
        void times(long factor) {
            if (factor >= 0 && Math.multiplyHigh(small, factor) == 0 && small * factor >= 0) {
                small *= factor;
            } else {
                large = large.multiply(new BigInteger(Long.toUnsignedString(factor)));
            }
        }

        boolean isZero() {
            return small == 0;
        }

        BigInteger value() {
            return large.multiply(BigInteger.valueOf(small));
        }
    }
}
