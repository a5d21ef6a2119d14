package dev.sluice.policy.questions;

import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.questions.BoxList.Region;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressSeqRange;
import inet.ipaddr.ipv4.IPv4Address;
import inet.ipaddr.ipv4.IPv4AddressSeqRange;
import inet.ipaddr.ipv6.IPv6Address;
import inet.ipaddr.ipv6.IPv6AddressSeqRange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Regions in words, as in {@code tcp from 10.1.0.0/16 to any port 22}. */
final class RegionWords {
    private static final int MOST_NAMED = 4;
    private static final int NUMBER = 0xffff;

    private final HeaderSpace space;
    private final AskedFacts asked;

    /** Sets of values whose product the kinds of a region are part of. */
    private static final class Product {
        final TreeSet<Integer> versions = new TreeSet<>();
        final BitSet protocols = new BitSet();
        final TreeSet<Integer> fragments = new TreeSet<>();
        final BitSet flags = new BitSet();
        final BitSet types = new BitSet();
        boolean ports;
        boolean icmp;
        boolean portless;

        void add(Kinds.Part part) {
            int version = Field.IP_VERSION.extract(part.header()[HeaderWord.IP]);
            versions.add(version);
            if (version == Field.VERSION_NONE) {
                types.or(part.types());
                return;
            }
            protocols.or(part.protocols());
            fragments.add(Field.FRAGMENT.extract(part.header()[HeaderWord.IP]));
            if (hasFlags(part)) {
                flags.or(part.flags());
            }
            if (!Subtraction.lacks(part.header(), HeaderWord.PORTS)) {
                boolean codes = part.protocols().get(1) || part.protocols().get(58);
                icmp |= codes;
                ports |= !codes;
            } else {
                portless = true;
            }
        }

        /** Returns whether headers have flags: those of later fragments do not. */
        private static boolean hasFlags(Kinds.Part part) {
            return part.protocols().get(6) && !Subtraction.lacks(part.header(), HeaderWord.PORTS);
        }

        boolean holds(Kinds.Part part) {
            int version = Field.IP_VERSION.extract(part.header()[HeaderWord.IP]);
            if (!versions.contains(version)) {
                return false;
            }
            return version == Field.VERSION_NONE
                    ? types.intersects(part.types())
                    : protocols.intersects(part.protocols())
                            && fragments.contains(
                                    Field.FRAGMENT.extract(part.header()[HeaderWord.IP]))
                            && (!hasFlags(part) || flags.intersects(part.flags()));
        }
    }

    private final Product all;

    RegionWords(HeaderSpace space, AskedFacts asked) {
        this.space = space;
        this.asked = asked;
        long[] every = new long[space.kinds.words()];
        for (int kind = 0; kind < space.kinds.size(); kind++) {
            every[kind >>> 6] |= 1L << kind;
        }
        all = product(every);
    }

    private Product product(long[] kinds) {
        Product product = new Product();
        for (int kind = 0; kind < space.kinds.size(); kind++) {
            if ((kinds[kind >>> 6] >>> kind & 1) != 0) {
                space.kinds.parts(kind).forEach(product::add);
            }
        }
        return product;
    }

    /** The region that the words of one name, which has all of it. */
    Region named(Region region) {
        Product product = product(region.kinds());
        Region named = region.copy();
        for (int kind = 0; kind < space.kinds.size(); kind++) {
            if (space.kinds.parts(kind).stream().anyMatch(product::holds)) {
                named.kinds()[kind >>> 6] |= 1L << kind;
            }
        }
        return named;
    }

    /** The words of a region, or of a larger one. */
    String of(Region region) {
        Product product = product(region.kinds());
        boolean ip = !product.protocols.isEmpty();
        StringBuilder text = new StringBuilder(protocols(product));
        if (ip) {
            text.append(" from ").append(end(region, product, true));
            text.append(" to ").append(end(region, product, false));
        }
        addFields(text, region);
        if (!product.flags.isEmpty() && product.flags.cardinality() < all.flags.cardinality()) {
            text.append(" flags ").append(flags(product.flags));
        }
        boolean whole = product.fragments.contains(Field.FRAGMENT_NONE);
        boolean first = product.fragments.contains(Field.FRAGMENT_FIRST);
        boolean later = product.fragments.contains(Field.FRAGMENT_LATER);
        if (ip && !(whole && first)) {
            List<String> parts = new ArrayList<>();
            parts.addAll(whole ? List.of("whole") : List.of());
            parts.addAll(first ? List.of("first fragment") : List.of());
            parts.addAll(later ? List.of("later fragment") : List.of());
            text.append(' ').append(String.join(" or ", parts));
        } else if (ip && !later && product.portless) {
            text.append(" but later fragments"); // with ports there are none
        }
        return text.toString();
    }

    private String protocols(Product product) {
        boolean others = product.versions.contains(Field.VERSION_NONE);
        boolean v4 = product.versions.contains(Field.VERSION_4);
        boolean v6 = product.versions.contains(Field.VERSION_6);
        if (others && !v4 && !v6) {
            boolean some = product.types.cardinality() < all.types.cardinality();
            return some ? "some EtherTypes other than IP" : "no IP packet";
        }
        if (product.protocols.cardinality() < all.protocols.cardinality()) {
            BitSet missing = (BitSet) all.protocols.clone();
            missing.andNot(product.protocols);
            return product.protocols.cardinality() <= MOST_NAMED
                    ? names(product.protocols)
                    : missing.cardinality() <= MOST_NAMED
                            ? "IP but " + names(missing)
                            : product.protocols.cardinality() + " protocols";
        }
        if (v4 && v6) {
            return others ? "any packet" : "IP";
        }
        return others ? "any packet but " + (v4 ? "IPv6" : "IPv4") : v4 ? "IPv4" : "IPv6";
    }

    private static String names(BitSet protocols) {
        return protocols.stream().mapToObj(PacketWords::protocol).collect(Collectors.joining(","));
    }

    private String flags(BitSet of) {
        return of.cardinality() > MOST_NAMED
                ? "(%,d sets of %,d)".formatted(of.cardinality(), all.flags.cardinality())
                : of.stream().mapToObj(PacketWords::flags).collect(Collectors.joining(" or "));
    }

    /** Addresses and ports of an end. */
    private String end(Region region, Product product, boolean source) {
        List<String> addresses = new ArrayList<>();
        if (product.versions.contains(Field.VERSION_4)) {
            addresses.add(v4(region, source ? HeaderWord.IPV4_SRC : HeaderWord.IPV4_DST));
        }
        if (product.versions.contains(Field.VERSION_6)) {
            addresses.add(v6(region, source ? HeaderWord.IPV6_SRC : HeaderWord.IPV6_DST));
        }
        StringBuilder text = new StringBuilder();
        text.append(addresses.stream().distinct().collect(Collectors.joining(" or ")));
        Field port = source ? Field.SRC_PORT : Field.DST_PORT;
        String name = product.ports ? "port" : source ? "type" : "code";
        for (int d = 0; d < space.size(); d++) {
            Dimension of = space.dimensions.get(d);
            long bits = of.bitsOf(HeaderWord.PORTS, port.maskInWord());
            boolean isCode = !product.ports && product.icmp;
            if (bits != 0
                    && (isCode || product.ports)
                    && !(isCode ? hasAllCodes(region, d) : isWhole(region, d))) {
                text.append(' ').append(name).append(' ');
                addValues(text, region, d, Field.SRC_PORT.bits());
            }
        }
        return text.toString();
    }

    private boolean hasAllCodes(Region region, int d) {
        int behind = space.dimensions.get(d).atNoIcmp();
        return region.bounds()[2 * d] == 0
                && region.bounds()[2 * d + 1]
                        >= (behind == 0 ? space.dimensions.get(d).size() : behind) - 1;
    }

    private boolean isWhole(Region region, int d) {
        return region.bounds()[2 * d] == 0
                && region.bounds()[2 * d + 1] == space.dimensions.get(d).size() - 1;
    }

    /** The values of a dimension between bounds, behind its bits where it is part of a field. */
    private void addValues(StringBuilder text, Region region, int d, int width) {
        Dimension of = space.dimensions.get(d);
        long first = of.first(region.bounds()[2 * d]);
        long last = of.last(region.bounds()[2 * d + 1]);
        if (Long.bitCount(of.bits()) < width) {
            text.append("with bits 0x").append(Long.toHexString(of.bits() << of.shift() % width));
            text.append(' ');
        }
        text.append(Long.toUnsignedString(first));
        if (first != last) {
            text.append('-').append(Long.toUnsignedString(last));
        }
    }

    private String v4(Region region, int word) {
        long first = 0;
        long last = 0xffffffffL;
        StringBuilder more = new StringBuilder();
        for (int d = 0; d < space.size(); d++) {
            Dimension of = space.dimensions.get(d);
            if (of.word() != word || isWhole(region, d)) {
                continue;
            }
            if (of.begins(word)) {
                first = of.first(region.bounds()[2 * d]) << of.shift();
                last = (of.last(region.bounds()[2 * d + 1]) + 1 << of.shift()) - 1;
            } else {
                more.append(' ');
                addValues(more, region, d, Integer.SIZE);
            }
        }
        if (first == 0 && last == 0xffffffffL) {
            return "any" + more;
        }
        IPv4AddressSeqRange range =
                new IPv4AddressSeqRange(new IPv4Address((int) first), new IPv4Address((int) last));
        return text(range) + more;
    }

    private static String text(IPAddressSeqRange range) {
        if (!range.isMultiple()) {
            return range.getLower().toCanonicalString();
        }
        IPAddress prefix = range.coverWithPrefixBlock();
        return range.getCount().equals(prefix.getCount())
                ? prefix.toCanonicalString()
                : range.getLower().toCanonicalString() + "-" + range.getUpper().toCanonicalString();
    }

    private String v6(Region region, int word) {
        long[] bounds = {0, -1, 0, -1};
        StringBuilder more = new StringBuilder();
        for (int d = 0; d < space.size(); d++) {
            Dimension of = space.dimensions.get(d);
            boolean high = of.word() == word;
            if (!high && of.word() != word + 2 || isWhole(region, d)) {
                continue;
            }
            if (of.begins(of.word())) {
                bounds[high ? 0 : 2] = of.first(region.bounds()[2 * d]) << of.shift();
                long above = of.last(region.bounds()[2 * d + 1]) + 1 << of.shift();
                bounds[high ? 1 : 3] = above - 1;
            } else {
                more.append(' ');
                addValues(more, region, d, Long.SIZE);
            }
        }
        boolean whole = bounds[2] == 0 && bounds[3] == -1;
        if (bounds[0] != bounds[1] && !whole) { // parts of several halves
            more.append(" with low half %x-%x".formatted(bounds[2], bounds[3]));
            bounds[2] = 0;
            bounds[3] = -1;
        }
        if (bounds[0] == 0 && bounds[1] == -1 && bounds[2] == 0 && bounds[3] == -1) {
            return "any" + more;
        }
        return text(new IPv6AddressSeqRange(v6(bounds[0], bounds[2]), v6(bounds[1], bounds[3])))
                + more;
    }

    private static IPv6Address v6(long high, long low) {
        return new IPv6Address(ByteBuffer.allocate(16).putLong(high).putLong(low).array());
    }

    /** Adds the other fields that are bounded. */
    private void addFields(StringBuilder text, Region region) {
        for (Field field : Field.values()) {
            int word = field.word();
            boolean known =
                    word <= HeaderWord.PORTS || HeaderWord.isIpv6(word) || field.bits() == 1;
            if (field.bits() == Dimension.MAC_BITS) {
                addMac(text, region, field);
                known = true;
            }
            for (int d = 0; d < space.size() && !known; d++) {
                Dimension of = space.dimensions.get(d);
                boolean has = (of.bitsOf(field) & of.asked()) != 0;
                if (has && !isWhole(region, d)) {
                    addField(text, region, d, field);
                }
            }
        }
    }

    private void addField(StringBuilder text, Region region, int d, Field field) {
        Dimension of = space.dimensions.get(d);
        boolean in = field.equals(Field.IN_INTERFACE);
        if (!in && !field.equals(Field.OUT_INTERFACE)) {
            text.append(' ').append(field.label()).append(' ');
            if (field.bits() > Integer.SIZE) {
                addValues(text, region, d, Long.SIZE);
                return;
            }
            int low = field.extract((int) (of.first(region.bounds()[2 * d]) << of.shift()));
            int high = field.extract((int) (of.last(region.bounds()[2 * d + 1]) << of.shift()));
            int bits = field.extract((int) (of.bits() << of.shift()));
            boolean all = Integer.bitCount(bits) == field.bits();
            text.append(all ? "" : "with bits 0x" + Integer.toHexString(bits) + " ");
            text.append(Integer.toUnsignedString(low));
            text.append(low == high ? "" : "-" + Integer.toUnsignedString(high));
        } else if ((of.asked() << of.shift() & NUMBER) != 0) {
            text.append(interfaces(region, d, in ? "in" : "out"));
        }
    }

    /** Adds a MAC address behind its mask: its dimensions as one where each has one value. */
    private void addMac(StringBuilder text, Region region, Field field) {
        long[] all = new long[3];
        for (int d = 0; d < space.size(); d++) {
            Dimension of = space.dimensions.get(d);
            long bits = of.bitsOf(field);
            if ((bits & of.asked()) != 0 && !isWhole(region, d)) {
                long[] ends = {
                    macBits(of, of.first(region.bounds()[2 * d]) & bits, field),
                    macBits(of, of.last(region.bounds()[2 * d + 1]) & bits, field),
                    macBits(of, bits, field)
                };
                if (ends[0] == ends[1]) {
                    Arrays.setAll(all, i -> all[i] | ends[i]);
                } else {
                    addMac(text, field, ends);
                }
            }
        }
        if (all[2] != 0) {
            addMac(text, field, all);
        }
    }

    private static void addMac(StringBuilder text, Field field, long[] ends) {
        text.append(' ').append(field.label()).append(' ').append(mac(ends[0]));
        text.append(ends[0] == ends[1] ? "" : "-" + mac(ends[1]));
        text.append(ends[2] == (1L << field.bits()) - 1 ? "" : "/" + mac(ends[2]));
    }

    /** The bits of an address that a dimension's value has. */
    private static long macBits(Dimension of, long value, Field field) {
        boolean middle = of.word() == HeaderWord.MAC_MIDDLE;
        long word = value << of.shift();
        return field.equals(Field.ETH_SRC)
                ? middle ? word >>> 16 : word << 16
                : middle ? word << 32 : word;
    }

    private static String mac(long address) {
        return HexFormat.ofDelimiter(":")
                .formatHex(ByteBuffer.allocate(8).putLong(address).array(), 2, 8);
    }

    private String interfaces(Region region, int d, String way) {
        Dimension of = space.dimensions.get(d);
        long first = of.first(region.bounds()[2 * d]) << of.shift() & NUMBER;
        long last = of.last(region.bounds()[2 * d + 1]) << of.shift() & NUMBER;
        List<String> names = asked.interfaces();
        if (first == 0 && last >= names.size()) {
            return "";
        }
        if (first == last && first > 0 && first <= names.size()) {
            return " %s %s".formatted(way, names.get((int) first - 1).replace("+", "*"));
        }
        if (last == 0 && names.size() <= MOST_NAMED) {
            return " not %s %s".formatted(way, String.join(",", names).replace("+", "*"));
        }
        return " %s one of several interfaces".formatted(way);
    }
}
