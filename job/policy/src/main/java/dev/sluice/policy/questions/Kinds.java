package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.NetworkNames;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Kinds of packets: classes of possible headers that no match tells apart by protocol, IP version,
 * EtherType, fragment, presence of fields and TCP flags.
 */
final class Kinds {
    /** Bits of each header word that tell kinds. */
    static final int[] BITS = bits();

    /** Protocols with an SPI right behind the header of IPv4: ESP and AH. */
    static final Set<Integer> SPI_PROTOCOLS = Set.of(50, 51);

    private static final int[] WORDS =
            IntStream.range(0, HeaderWord.COUNT).filter(word -> BITS[word] != 0).toArray();

    private static final int TCP = 6;
    private static final int ICMP = 1;
    private static final int ICMP6 = 58;
    private static final int SYN = 2;
    private static final int[] PROTOCOLS = {TCP, 17, ICMP, ICMP6, 132};
    private static final int[] FLAGS = {SYN, 0x10, 0x12, 0x18, 4, 0x11};
    private static final int[] TYPES = {0x0806, 0x88cc};
    private static final int[] FRAGMENTS = {
        Field.FRAGMENT_NONE, Field.FRAGMENT_FIRST, Field.FRAGMENT_LATER
    };

    private final Map<Asked, Integer> numbers = new LinkedHashMap<>();
    private final List<int[]> samples = new ArrayList<>();
    private final List<BitSet> met = new ArrayList<>();
    private final BitSet others = new BitSet();
    private final List<long[]> sets = new ArrayList<>();
    private final List<List<Part>> parts = new ArrayList<>();

    /**
     * Headers of a kind that differ in protocol, flags or EtherType alone.
     *
     * @param header one of them
     * @param protocols their protocols; empty: not IP
     * @param flags TCP flags, where rules ask for them, else one value
     * @param types EtherTypes, where they are not IP and rules ask for them, else one value
     */
    record Part(int[] header, BitSet protocols, BitSet flags, BitSet types) {
        /** Number of the headers, of which rules tell no other fields apart. */
        long count() {
            return (long) Math.max(1, protocols.cardinality())
                    * flags.cardinality()
                    * types.cardinality();
        }
    }

    /** Values of a field that matches do not tell apart. */
    private record Values(int first, BitSet all) {
        static final Values NO = new Values(0, BitSet.valueOf(new long[] {1}));
    }

    /** Values and masks of the bits that tell kinds. */
    private record Asked(List<Integer> valueMasks) {
        static Asked of(Match match) {
            Integer[] parts = new Integer[2 * WORDS.length];
            for (int i = 0; i < WORDS.length; i++) {
                parts[2 * i] = match.value(WORDS[i]) & BITS[WORDS[i]];
                parts[2 * i + 1] = match.mask(WORDS[i]) & BITS[WORDS[i]];
            }
            return new Asked(List.of(parts));
        }

        boolean holds(int[] header) {
            for (int i = 0; i < WORDS.length; i++) {
                if ((header[WORDS[i]] & valueMasks.get(2 * i + 1)) != valueMasks.get(2 * i)) {
                    return false;
                }
            }
            return true;
        }

        int mask(Field field) {
            for (int i = 0; i < WORDS.length; i++) {
                if (WORDS[i] == field.word()) {
                    return field.extract(valueMasks.get(2 * i + 1));
                }
            }
            return 0;
        }

        int value(Field field) {
            for (int i = 0; i < WORDS.length; i++) {
                if (WORDS[i] == field.word()) {
                    return field.extract(valueMasks.get(2 * i));
                }
            }
            return 0;
        }
    }

    private static int[] bits() {
        int[] bits = new int[HeaderWord.COUNT];
        for (Field field :
                List.of(
                        Field.IP_VERSION,
                        Field.ETH_TYPE,
                        Field.IP_PROTO,
                        Field.FRAGMENT,
                        Field.PORTS_PRESENT,
                        Field.TCP_FLAGS,
                        Field.TTL_PRESENT,
                        Field.IP_LENGTH_PRESENT,
                        Field.IPV6_EXTENSIONS_PRESENT)) {
            bits[field.word()] |= field.maskInWord();
        }
        return bits;
    }

    Kinds(List<Match> matches) {
        for (Match match : matches) {
            numbers.putIfAbsent(Asked.of(match), numbers.size());
        }
        Map<BitSet, Integer> known = new HashMap<>();
        List<Values> protocols = classes(Field.IP_PROTO, PROTOCOLS, Kinds::protocolClass);
        List<Values> flags = classes(Field.TCP_FLAGS, FLAGS, of -> 0);
        for (int fragment : FRAGMENTS) {
            for (int version : new int[] {Field.VERSION_4, Field.VERSION_6}) {
                for (Values protocol : protocols) {
                    addIp(known, version, protocol, fragment, flags);
                }
            }
        }
        for (Values type :
                classes(Field.ETH_TYPE, TYPES, of -> of == 0x0800 || of == 0x86dd ? 1 : 0)) {
            if (type.first != 0x0800 && type.first != 0x86dd) {
                int[] header = new int[HeaderWord.COUNT];
                Field.ETH_TYPE.put(header, type.first);
                add(known, new Part(header, new BitSet(), Values.NO.all, type.all));
            }
        }
        for (int number = 0; number < numbers.size(); number++) {
            long[] set = new long[words()];
            for (int kind = 0; kind < samples.size(); kind++) {
                if (met.get(kind).get(number)) {
                    set[kind >>> 6] |= 1L << kind;
                }
            }
            sets.add(set);
        }
    }

    private static int protocolClass(int protocol) {
        return switch (protocol) {
            case TCP -> 1;
            case ICMP -> 3;
            case ICMP6 -> 4;
            default ->
                    NetworkNames.WITH_PORTS.contains(protocol)
                            ? 2
                            : SPI_PROTOCOLS.contains(protocol) ? 5 : 0;
        };
    }

    /** The classes of values that matches, and the class of a value, tell apart. */
    private List<Values> classes(Field field, int[] first, IntUnaryOperator classOf) {
        List<int[]> asked =
                numbers.keySet().stream()
                        .filter(one -> one.mask(field) != 0)
                        .map(one -> List.of(one.value(field), one.mask(field)))
                        .distinct()
                        .map(one -> new int[] {one.get(0), one.get(1)})
                        .toList();
        Map<List<Object>, Values> found = new LinkedHashMap<>();
        boolean told = !asked.isEmpty() || field.bits() <= 8;
        int all = told ? 1 << field.bits() : 0;
        IntStream.concat(IntStream.of(first), IntStream.range(0, all))
                .forEach(
                        value -> {
                            BitSet meets = new BitSet();
                            for (int i = 0; i < asked.size(); i++) {
                                meets.set(i, (value & asked.get(i)[1]) == asked.get(i)[0]);
                            }
                            List<Object> by = List.of(meets, classOf.applyAsInt(value));
                            Values of =
                                    found.computeIfAbsent(
                                            by, fresh -> new Values(value, new BitSet()));
                            of.all.set(told ? value : of.first);
                        });
        return List.copyOf(found.values());
    }

    private void addIp(
            Map<BitSet, Integer> known,
            int version,
            Values protocols,
            int fragment,
            List<Values> flags) {
        int protocol = protocols.first;
        boolean v6 = version == Field.VERSION_6;
        int[] header = new int[HeaderWord.COUNT];
        Field.IP_VERSION.put(header, version);
        Field.ETH_TYPE.put(header, v6 ? 0x86dd : 0x0800);
        Field.IP_PROTO.put(header, protocol);
        Field.FRAGMENT.put(header, fragment);
        Field.TTL_PRESENT.put(header, 1);
        Field.IP_LENGTH_PRESENT.put(header, 1);
        Field.IPV6_EXTENSIONS_PRESENT.put(header, v6 ? 1 : 0);
        boolean ported =
                NetworkNames.WITH_PORTS.contains(protocol) || protocol == (v6 ? ICMP6 : ICMP);
        if (!ported || fragment == Field.FRAGMENT_LATER) {
            add(known, new Part(header, protocols.all, Values.NO.all, Values.NO.all));
            return;
        }
        Field.PORTS_PRESENT.put(header, 1);
        for (Values one : protocol == TCP ? flags : List.of(Values.NO)) {
            int[] tcp = header.clone();
            Field.TCP_FLAGS.put(tcp, one.first);
            add(known, new Part(tcp, protocols.all, one.all, Values.NO.all));
        }
    }

    private void add(Map<BitSet, Integer> known, Part part) {
        int[] header = part.header;
        BitSet meets = new BitSet();
        int number = 0;
        for (Asked one : numbers.keySet()) {
            meets.set(number++, one.holds(header));
        }
        int kind = known.computeIfAbsent(meets, fresh -> samples.size());
        if (kind == samples.size()) {
            samples.add(header);
            met.add(meets);
            parts.add(new ArrayList<>());
        }
        parts.get(kind).add(part);
        if (!isIcmp(header)) {
            others.set(kind);
        }
    }

    private static boolean isIcmp(int[] header) {
        int protocol = Field.IP_PROTO.extract(header[HeaderWord.IP]);
        boolean ports = Field.PORTS_PRESENT.extract(header[HeaderWord.IP]) == 1;
        return ports && (protocol == ICMP || protocol == ICMP6);
    }

    int size() {
        return samples.size();
    }

    /** Number of longs of a set of kinds. */
    int words() {
        return (samples.size() + 63) / 64;
    }

    /** A header of a kind, without the fields that do not tell kinds. Do not change. */
    int[] sample(int kind) {
        return samples.get(kind);
    }

    /** The headers of a kind. Do not change. */
    List<Part> parts(int kind) {
        return parts.get(kind);
    }

    /** Returns whether a match tells kinds apart, so that {@link #of} knows it. */
    boolean knows(Match match) {
        return numbers.containsKey(Asked.of(match));
    }

    /** The kinds that a match leaves. Do not change. */
    long[] of(Match match) {
        Integer number = numbers.get(Asked.of(match));
        if (number == null) {
            throw new IllegalArgumentException("a match of another space");
        }
        return sets.get(number);
    }

    /** The kinds of ICMP alone, whose types and codes have 8 bits. */
    long[] icmp() {
        long[] set = new long[words()];
        for (int kind = others.nextClearBit(0);
                kind < samples.size();
                kind = others.nextClearBit(kind + 1)) {
            set[kind >>> 6] |= 1L << kind;
        }
        return set;
    }
}
