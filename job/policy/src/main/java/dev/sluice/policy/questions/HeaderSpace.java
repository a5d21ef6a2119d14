package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Coordinates of possible packets, as far as some matches tell packets apart: an int a dimension,
 * and a kind. Lists that are compared share a space. Immutable.
 */
public final class HeaderSpace {
    private static final long[] NOTHING = {};

    /** Types of echo requests, of IPv4 and IPv6, with code 0. */
    private static final long[] ECHO = {0x0008_0000L, 0x0080_0000L};

    private static final long[][] WANTED = wanted();
    private static final int FRAGMENT_HEADER = Field.EXTENSION_FRAGMENT;
    private static final Match FRAGMENTS =
            new Match.Builder()
                    .field(Field.IP_VERSION, Field.VERSION_6)
                    .field(Field.FRAGMENT, 1, 1)
                    .build();

    final Kinds kinds;
    final List<Dimension> dimensions;

    /** Bits of each header word that some match names. */
    private final int[] named = new int[HeaderWord.COUNT];

    private HeaderSpace(List<Match> matches) {
        kinds = new Kinds(asksFragmentHeaders(matches) ? withFragments(matches) : matches);
        dimensions = Dimension.of(matches);
        for (int word = 0; word < HeaderWord.COUNT; word++) {
            for (Match match : matches) {
                named[word] |= match.mask(word);
            }
        }
    }

    private static boolean asksFragmentHeaders(List<Match> matches) {
        int bit = FRAGMENT_HEADER << Field.IPV6_EXTENSIONS.shift();
        return matches.stream().anyMatch(match -> (match.mask(HeaderWord.IP_LENGTH) & bit) != 0);
    }

    /** The same matches, and one that tells the fragments of IPv6 apart. */
    private static List<Match> withFragments(List<Match> matches) {
        List<Match> all = new ArrayList<>(matches);
        all.add(FRAGMENTS);
        return all;
    }

    /** The fragments of IPv6, which have a fragment header; no kinds where no match asks for it. */
    long[] fragments() {
        return kinds.knows(FRAGMENTS) ? kinds.of(FRAGMENTS) : new long[kinds.words()];
    }

    /** The space of lists; {@link #split} their entries before. */
    public static HeaderSpace of(List<MatchEntry> entries) {
        return new HeaderSpace(matches(entries));
    }

    private static List<Match> matches(List<MatchEntry> entries) {
        Set<Match> matches = new LinkedHashSet<>();
        Set<MatchEntry.Hidden> known = Collections.newSetFromMap(new IdentityHashMap<>());
        for (MatchEntry entry : entries) {
            matches.add(entry.match());
            for (MatchEntry.Hidden hidden = entry.hidden();
                    hidden != null && known.add(hidden);
                    hidden = hidden.outer()) {
                matches.add(hidden.match());
            }
        }
        return List.copyOf(matches);
    }

    /** The same entries, without ranges of ports where masks of ports have holes. */
    public static List<MatchEntry> split(List<MatchEntry> entries) {
        if (!Dimension.needsPrefixes(matches(entries))) {
            return entries;
        }
        List<MatchEntry> split = new ArrayList<>();
        IdentityHashMap<MatchEntry.Hidden, MatchEntry.Hidden> known = new IdentityHashMap<>();
        for (MatchEntry entry : entries) {
            MatchEntry.Hidden hidden = split(entry.hidden(), known);
            for (Match piece : entry.match().prefixes()) {
                split.add(
                        new MatchEntry(
                                piece, entry.owner(), entry.decides(), entry.certain(), hidden));
            }
        }
        return split;
    }

    private static MatchEntry.@Nullable Hidden split(
            MatchEntry.@Nullable Hidden hidden,
            IdentityHashMap<MatchEntry.Hidden, MatchEntry.Hidden> known) {
        List<MatchEntry.Hidden> fresh = new ArrayList<>();
        MatchEntry.Hidden at = hidden;
        while (at != null && !known.containsKey(at)) {
            fresh.add(at);
            at = at.outer();
        }
        MatchEntry.Hidden split = at == null ? null : known.get(at);
        for (int i = fresh.size() - 1; i >= 0; i--) {
            MatchEntry.Hidden one = fresh.get(i);
            for (Match piece : one.match().prefixes()) {
                split = new MatchEntry.Hidden(piece, one.owner(), one.certain(), split);
            }
            if (split != null) {
                known.put(one, split);
            }
        }
        return split;
    }

    private static long[][] wanted() {
        long[][] wanted = new long[HeaderWord.COUNT][];
        Arrays.fill(wanted, NOTHING);
        wanted[HeaderWord.IPV4_SRC] = new long[] {0x0a000001L, 0xc0000201L};
        wanted[HeaderWord.IPV4_DST] = new long[] {0x0a000102L, 0xc6336401L};
        wanted[HeaderWord.IPV6_SRC] = new long[] {0x20010db8_00000000L, 0xfd00000000000000L};
        wanted[HeaderWord.IPV6_SRC + 2] = new long[] {1};
        wanted[HeaderWord.IPV6_DST] = new long[] {0x20010db8_00000000L, 0xfd00000000000000L};
        wanted[HeaderWord.IPV6_DST + 2] = new long[] {2};
        wanted[HeaderWord.PORTS] =
                new long[] {0x9c40_01bbL, 0x9c40_0050L, 0x9c40_0016L, 0x0400_0400L};
        wanted[HeaderWord.TTL] = new long[] {PacketWords.USUAL_TTL};
        wanted[HeaderWord.IP_LENGTH] = new long[] {PacketWords.USUAL_LENGTH};
        return wanted;
    }

    /** Number of dimensions beside the kinds. */
    int size() {
        return dimensions.size();
    }

    /** The coordinate of usual packets between two of a dimension; the first one: none is. */
    int usual(int dimension, int kind, int low, int high) {
        Dimension of = dimensions.get(dimension);
        for (long wanted : wanted(of, kinds.sample(kind))) {
            int at = of.atWord(wanted);
            if (at >= low && at <= high) {
                return at;
            }
        }
        return low;
    }

    /**
     * A header of a point: of all that no match tells apart, a usual one.
     *
     * @param point a coordinate a dimension, then the kind
     */
    public int[] header(int[] point) {
        int[] sample = sample(point);
        int[] header = sample.clone();
        int version = Field.IP_VERSION.extract(header[HeaderWord.IP]);
        boolean ports = Field.PORTS_PRESENT.extract(header[HeaderWord.IP]) == 1;
        boolean icmp = PacketWords.isIcmp(header);
        int[] all = new int[HeaderWord.COUNT];
        usual(all, version, ports, icmp);
        for (int d = 0; d < size(); d++) {
            Dimension of = dimensions.get(d);
            of.put(all, point[d], wanted(of, sample));
        }
        for (int word = 0; word < HeaderWord.COUNT; word++) {
            boolean absent =
                    word <= HeaderWord.IPV4_DST && version != Field.VERSION_4
                            || HeaderWord.isIpv6(word) && version != Field.VERSION_6
                            || word == HeaderWord.PORTS && !ports;
            header[word] |= absent ? 0 : all[word] & ~Kinds.BITS[word];
        }
        clearAbsent(header);
        boolean fragment = Field.FRAGMENT.extract(header[HeaderWord.IP]) != Field.FRAGMENT_NONE;
        if (version == Field.VERSION_6 && fragment) {
            header[HeaderWord.IP_LENGTH] |= FRAGMENT_HEADER << Field.IPV6_EXTENSIONS.shift();
        }
        return header;
    }

    /** A header of a point's kind; of ICMP only where it has the point's type and code. */
    private int[] sample(int[] point) {
        int kind = point[size()];
        int[] sample = kinds.sample(kind);
        if (!PacketWords.isIcmp(sample)) {
            return sample;
        }
        for (int d = 0; d < size(); d++) {
            int first = dimensions.get(d).atNoIcmp();
            if (first > 0 && point[d] >= first) {
                return kinds.parts(kind).stream()
                        .map(Kinds.Part::header)
                        .filter(header -> !PacketWords.isIcmp(header))
                        .findFirst()
                        .orElse(sample);
            }
        }
        return sample;
    }

    /**
     * Clears the fields that a packet lacks: no rule tells their values apart. A value of a field
     * that rules name without its present bit, such as a mark, is one that the packet has.
     */
    private void clearAbsent(int[] header) {
        for (Field field : Field.values()) {
            Field present = field.present();
            if (present == null || present.extract(header[present.word()]) == 1) {
                continue;
            }
            if (field.bits() <= Integer.SIZE) {
                if ((named[present.word()] & present.maskInWord()) == 0
                        && field.extract(header[field.word()]) != 0) {
                    present.put(header, 1);
                    continue;
                }
                header[field.word()] &= ~field.maskInWord();
            } else if (field.equals(Field.ETH_SRC)) {
                header[HeaderWord.MAC_HIGH] = 0;
                header[HeaderWord.MAC_MIDDLE] &= 0xffff;
            } else if (field.equals(Field.ETH_DST)) {
                header[HeaderWord.MAC_MIDDLE] &= 0xffff0000;
                header[HeaderWord.MAC_LOW] = 0;
            }
        }
        if (Field.IP_VERSION.extract(header[HeaderWord.IP]) == Field.VERSION_NONE) {
            header[HeaderWord.IP] &= ~Field.TOS.maskInWord();
        }
    }

    private static void usual(int[] header, int version, boolean ports, boolean icmp) {
        if (version == Field.VERSION_4) {
            header[HeaderWord.IPV4_SRC] = (int) WANTED[HeaderWord.IPV4_SRC][0];
            header[HeaderWord.IPV4_DST] = (int) WANTED[HeaderWord.IPV4_DST][0];
        } else if (version == Field.VERSION_6) {
            for (int word : new int[] {HeaderWord.IPV6_SRC, HeaderWord.IPV6_DST}) {
                header[word] = (int) (WANTED[word][0] >>> 32);
                header[word + 3] = (int) WANTED[word + 2][0];
            }
        }
        if (version != Field.VERSION_NONE) {
            Field.TTL.put(header, PacketWords.USUAL_TTL);
            Field.IP_LENGTH.put(header, PacketWords.USUAL_LENGTH);
        }
        header[HeaderWord.PORTS] =
                !ports
                        ? 0
                        : icmp
                                ? (int) ECHO[version == Field.VERSION_6 ? 1 : 0]
                                : (int) WANTED[HeaderWord.PORTS][0];
    }

    /** Values of usual packets of a kind in a dimension's word, the first ones first. */
    private static long[] wanted(Dimension of, int[] sample) {
        return of.isOfPort() && PacketWords.isIcmp(sample) ? ECHO : WANTED[of.word()];
    }
}
