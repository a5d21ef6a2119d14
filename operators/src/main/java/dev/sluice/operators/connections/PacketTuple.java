package dev.sluice.operators.connections;

import dev.sluice.schemas.header.TcpSegment;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a packet, or of one embedded in an ICMP error, that name its connection. An object
 * is filled again for each packet, and is for one tracker.
 *
 * <p>Not thread-safe.
 */
public final class PacketTuple {
    static final int ICMP = 1;
    static final int TCP = 6;
    static final int UDP = 17;
    static final int GRE = 47;
    static final int ICMPV6 = 58;
    static final int SCTP = 132;
    static final int UDP_LITE = 136;

    /** Use that a tracker can make of a packet. */
    enum Kind {
        /** The packet has a connection, or may begin one. */
        KEYED,
        ERROR,
        INVALID,
        UNTRACKED,
        UNKNOWN
    }

    private static final int LAST_ICMP_TYPE = 18;

    /** Redirect of ICMPv6, whose option has the packet it is about. */
    private static final int REDIRECT_6 = 137;

    /** The two addresses and the ports, the lower end first. */
    final int[] key = new int[9];

    private final int[] source = new int[4];
    private final int[] destination = new int[4];
    private int version;
    private int protocol;
    private int sourcePort;
    private int destinationPort;
    private int tcpFlags;
    private int length;

    /** The words of a TCP segment or of an SCTP packet, where they are told. */
    private final int[] segment = new int[TcpSegment.WORDS];

    private boolean segmentTold;

    /** Kind of a packet whose header Linux takes otherwise than its fields suggest; null: none. */
    private @Nullable Kind odd;

    /** Right where {@link #placed} is; kept, since to store a reference is dear. */
    private Kind kind = Kind.UNKNOWN;

    private boolean placed;
    private boolean fromUpper;
    private boolean toItself;
    private long hash;

    /** Begins an IPv4 packet. */
    public PacketTuple ipv4(int from, int to, int ipProtocol) {
        source[0] = from;
        destination[0] = to;
        return begin(4, ipProtocol);
    }

    /**
     * Begins an IPv6 packet.
     *
     * @param from four words at least, of which the first four count; as is {@code to}
     */
    public PacketTuple ipv6(int[] from, int[] to, int ipProtocol) {
        System.arraycopy(from, 0, source, 0, 4);
        System.arraycopy(to, 0, destination, 0, 4);
        return begin(6, ipProtocol);
    }

    private PacketTuple begin(int ipVersion, int ipProtocol) {
        version = ipVersion;
        protocol = ipProtocol;
        sourcePort = 0;
        destinationPort = 0;
        tcpFlags = 0;
        length = 0;
        odd = null;
        placed = false;
        segmentTold = false;
        return this;
    }

    /**
     * Sets the ports of TCP, UDP, UDP-Lite or SCTP; of GRE 0 and the id of its call. Other
     * protocols have none here.
     */
    public PacketTuple ports(int from, int to) {
        placed = false;
        sourcePort = from;
        destinationPort = to;
        return this;
    }

    /** Sets the flags of TCP, FIN as bit 0. */
    public PacketTuple tcpFlags(int flags) {
        tcpFlags = flags;
        return this;
    }

    /**
     * Sets the fields of ICMP or ICMPv6.
     *
     * @param id bytes 4 and 5 of the ICMP header
     */
    public PacketTuple icmp(int type, int code, int id) {
        placed = false;
        sourcePort = id;
        destinationPort = type << 8 | code;
        return this;
    }

    /** Marks a packet whose transport header is malformed, which is invalid to Linux. */
    public PacketTuple malformed() {
        placed = false;
        odd = Kind.INVALID;
        return this;
    }

    /** Marks a packet of GRE that Linux tells apart by the id of its call, which is not known. */
    public PacketTuple greCall() {
        placed = false;
        odd = Kind.UNKNOWN;
        return this;
    }

    /** Sets the length in bytes that counts where rows are kept. */
    public PacketTuple length(int bytes) {
        length = bytes;
        return this;
    }

    int length() {
        return length;
    }

    /**
     * Sets the sequence numbers, the window and the options of a TCP segment, for a tracker of
     * windows, or the tag and the chunks of an SCTP packet.
     *
     * @param words of a header, in which {@link TcpSegment} or {@link
     *     dev.sluice.schemas.header.SctpChunks} tells the places
     * @param told whether the header has them
     */
    public PacketTuple segment(int[] words, boolean told) {
        segmentTold = told;
        if (told) {
            System.arraycopy(words, TcpSegment.SEQUENCE, segment, 0, TcpSegment.WORDS);
        }
        return this;
    }

    /** Tells whether TCP has such flags, and such a data offset. */
    boolean isPossible() {
        return TcpTransitions.valid(tcpFlags)
                && (!segmentTold || (segment(TcpSegment.OPTIONS) & TcpSegment.IMPOSSIBLE) == 0);
    }

    /** Tells whether the packet states the words that {@link #segment(int[], boolean)} sets. */
    boolean tellsSegment() {
        return segmentTold;
    }

    /** Returns one of these words. */
    int segment(int word) {
        return segment[word - TcpSegment.SEQUENCE];
    }

    /** Tells whether ports tell connections of a protocol apart. */
    static boolean hasPorts(int protocol) {
        return protocol == TCP || protocol == UDP || protocol == UDP_LITE || protocol == SCTP;
    }

    int version() {
        return version;
    }

    int protocol() {
        return protocol;
    }

    int flags() {
        return tcpFlags;
    }

    /** Number of words of the key. */
    int keyWords() {
        return version == 4 ? 3 : 9;
    }

    /** Tells whether the packet comes from the upper end of its key. */
    boolean fromUpper() {
        return fromUpper;
    }

    /** Tells whether both ends are one, so that both directions look alike. */
    boolean toItself() {
        return toItself;
    }

    long hash() {
        return hash;
    }

    /** Tells whether an error of the same version goes to the sender of this packet. */
    boolean isSentBy(PacketTuple error) {
        return compare(source, error.destination) == 0;
    }

    /** Tells whether the packet, which was placed, has a key. */
    boolean isKeyed() {
        return kind == Kind.KEYED;
    }

    /** Tells the packet's kind; where it is keyed, key and hash are right afterwards. */
    Kind place(long seed) {
        return place(seed, false);
    }

    /**
     * As {@link #place(long)}.
     *
     * @param aws whether protocols other than TCP, UDP and ICMP are told apart by addresses alone
     */
    Kind place(long seed, boolean aws) {
        if (!placed) {
            Kind now = kind(aws);
            if (now == Kind.KEYED) {
                hash = hash(key, 0, keyWords(), protocol, seed);
            }
            if (now != kind) {
                kind = now;
            }
            placed = true;
        }
        return kind;
    }

    private Kind kind(boolean aws) {
        boolean control = protocol == (version == 4 ? ICMP : ICMPV6);
        if (odd != null && (!aws || control)) {
            return odd;
        }
        if (control) {
            int type = destinationPort >>> 8;
            Kind known = version == 4 ? kind4(type) : kind6(type);
            if (known == Kind.KEYED) {
                queryKey(type);
            }
            return known;
        }
        if (aws && protocol != TCP && protocol != UDP && protocol != ICMP && protocol != ICMPV6) {
            orderedKey(0, 0);
            return Kind.KEYED;
        }
        switch (protocol) {
            case ICMP, ICMPV6 -> { // of the other version
                return Kind.INVALID;
            }
            case TCP, UDP, UDP_LITE, SCTP, GRE -> orderedKey(sourcePort, destinationPort);
            default -> orderedKey(0, 0);
        }
        return Kind.KEYED;
    }

    private static Kind kind4(int type) {
        return switch (type) {
            case 0, 8, 13, 14, 15, 16, 17, LAST_ICMP_TYPE -> Kind.KEYED;
            case 3, 4, 5, 11, 12 -> Kind.ERROR;
            default -> Kind.INVALID;
        };
    }

    private static Kind kind6(int type) {
        return switch (type) {
            case 128, 129, 139, 140 -> Kind.KEYED;
            case 130, 131, 132, 133, 134, 135, 136, 143, 151, 152 -> Kind.UNTRACKED;
            default -> type < 128 || type == REDIRECT_6 ? Kind.ERROR : Kind.INVALID;
        };
    }

    private void orderedKey(int from, int to) {
        if (version == 4) {
            long one = (source[0] & 0xffffffffL) << 16 | from;
            long two = (destination[0] & 0xffffffffL) << 16 | to;
            long lower = Math.min(one, two);
            long upper = Math.max(one, two);
            fromUpper = one > two;
            toItself = one == two;
            key[0] = (int) (lower >>> 16);
            key[1] = (int) (upper >>> 16);
            key[2] = (int) lower << 16 | (int) upper & 0xffff;
            return;
        }
        int order = compare(source, destination);
        fromUpper = order > 0 || order == 0 && from > to;
        toItself = order == 0 && from == to;
        putKey(fromUpper, fromUpper ? to << 16 | from : from << 16 | to);
    }

    /** Makes the key of a query, which an answer shares; who asked is its lower end. */
    private void queryKey(int type) {
        int query =
                switch (type) {
                    case 0 -> 8;
                    case 14, 16, LAST_ICMP_TYPE, 129, 140 -> type - 1;
                    default -> type;
                };
        fromUpper = query != type;
        toItself = false;
        putKey(fromUpper, sourcePort << 16 | query << 8 | destinationPort & 0xff);
    }

    private void putKey(boolean swapped, int ports) {
        int[] lower = swapped ? destination : source;
        int[] upper = swapped ? source : destination;
        if (version == 4) {
            key[0] = lower[0];
            key[1] = upper[0];
            key[2] = ports;
        } else {
            System.arraycopy(lower, 0, key, 0, 4);
            System.arraycopy(upper, 0, key, 4, 4);
            key[8] = ports;
        }
    }

    private int compare(int[] left, int[] right) {
        int words = version == 4 ? 1 : 4;
        for (int i = 0; i < words; i++) {
            if (left[i] != right[i]) {
                return Integer.compareUnsigned(left[i], right[i]);
            }
        }
        return 0;
    }

    /** Hashes a key that begins at an index of words. */
    static long hash(int[] words, int at, int keyWords, int protocol, long seed) {
        long hash = (seed ^ protocol) * 0x9e3779b97f4a7c15L;
        for (int i = at; i < at + keyWords; i++) {
            hash = (hash ^ words[i] & 0xffffffffL) * 0xd6e8feb86659fd93L;
            hash ^= hash >>> 32;
        }
        hash *= 0xd6e8feb86659fd93L;
        return hash ^ hash >>> 32;
    }
}
