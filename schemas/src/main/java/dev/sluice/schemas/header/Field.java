package dev.sluice.schemas.header;

/**
 * A match field and the bits that hold it.
 *
 * <p>Fields that a packet may lack have a present bit of their own: a rule that constrains such a
 * field also asks for the bit, so that a later fragment (no ports) or an untagged frame matches no
 * rule on ports or VLAN, whatever value the rule names.
 */
public enum Field {
    IN_PORT("in_port", 32, HeaderWord.IN_PORT, 0),
    ETH_SRC("dl_src", 48, HeaderWord.MAC_HIGH, 16),
    ETH_DST("dl_dst", 48, HeaderWord.MAC_MIDDLE, 0),
    /** After all VLAN tags; {@link #NO_ETHER_TYPE} where the frame has none. */
    ETH_TYPE("dl_type", 16, HeaderWord.ETHER, 16),
    VLAN_ID("dl_vlan", 12, HeaderWord.ETHER, 0),
    VLAN_PRESENT("vlan_present", 1, HeaderWord.ETHER, 12),
    VLAN_PRIORITY("dl_vlan_pcp", 3, HeaderWord.ETHER, 13),
    IPV4_SRC("nw_src", 32, HeaderWord.IPV4_SRC, 0),
    IPV4_DST("nw_dst", 32, HeaderWord.IPV4_DST, 0),
    IPV6_SRC("ipv6_src", 128, HeaderWord.IPV6_SRC, 0),
    IPV6_DST("ipv6_dst", 128, HeaderWord.IPV6_DST, 0),
    IP_PROTO("nw_proto", 8, HeaderWord.IP, 0),
    TOS("nw_tos", 8, HeaderWord.IP, 8),
    /** {@link #FRAGMENT_NONE}, {@link #FRAGMENT_FIRST} or {@link #FRAGMENT_LATER}. */
    FRAGMENT("nw_frag", 2, HeaderWord.IP, 16),
    /** 1 where the packet has ports, or ICMP type and code, and (TCP) flags. */
    PORTS_PRESENT("ports_present", 1, HeaderWord.IP, 18),
    /** {@link #VERSION_NONE}, {@link #VERSION_4} or {@link #VERSION_6}. */
    IP_VERSION("ip_version", 2, HeaderWord.IP, 19),
    ETH_SRC_PRESENT("dl_src_present", 1, HeaderWord.IP, 21),
    ETH_DST_PRESENT("dl_dst_present", 1, HeaderWord.IP, 22),
    IN_PORT_PRESENT("in_port_present", 1, HeaderWord.IP, 23),
    SPI_PRESENT("spi_present", 1, HeaderWord.IP, 24),
    /** Source port; ICMP type. */
    SRC_PORT("tp_src", 16, HeaderWord.PORTS, 16),
    /** Destination port; ICMP code. */
    DST_PORT("tp_dst", 16, HeaderWord.PORTS, 0),
    TCP_FLAGS("tcp_flags", 12, HeaderWord.TCP_FLAGS, 0),
    SPI("spi", 32, HeaderWord.SPI, 0),
    /** Returns whether a packet lies in a tunnel that has an id; no rule constrains it. */
    TUNNEL_ID_PRESENT("tun_id_present", 1, HeaderWord.IP, 25),
    /**
     * VNI of VXLAN and GENEVE, key of GRE, TEID of GTP-U: of the innermost tunnel around the header
     * that has an id; 0 where there is none, as in Open vSwitch, so that 0 matches a packet outside
     * any tunnel, too.
     */
    TUNNEL_ID("tun_id", 32, HeaderWord.TUNNEL_ID, 0);

    /** EtherType of a frame that has none (IEEE 802.3 length): Open vSwitch's value. */
    public static final int NO_ETHER_TYPE = 0x05ff;

    public static final int FRAGMENT_NONE = 0;

    /** Bit 0: any fragment; bit 1: not the first (as Open vSwitch's nw_frag). */
    public static final int FRAGMENT_FIRST = 1;

    public static final int FRAGMENT_LATER = 3;

    public static final int VERSION_NONE = 0;
    public static final int VERSION_4 = 1;
    public static final int VERSION_6 = 2;

    private final String label;
    private final int bits;
    private final int word;
    private final int shift;

    Field(String label, int bits, int word, int shift) {
        this.label = label;
        this.bits = bits;
        this.word = word;
        this.shift = shift;
    }

    /** Name as rule files write it. */
    public String label() {
        return label;
    }

    /** Width in bits. */
    public int bits() {
        return bits;
    }

    /** First (most significant) {@link HeaderWord} that holds bits of the field. */
    public int word() {
        return word;
    }

    /** Bits to the right of the field in its word; for {@link #ETH_SRC}, in its last word. */
    public int shift() {
        return shift;
    }

    /** Mask of the field in its word, for fields of at most 32 bits. */
    public int maskInWord() {
        requireSingleWord();
        return (bits == 32 ? -1 : (1 << bits) - 1) << shift;
    }

    /** The value at the field's place in its word, for fields of at most 32 bits. */
    public int place(int value) {
        requireSingleWord();
        return (value << shift) & maskInWord();
    }

    /** The field's value out of its word, for fields of at most 32 bits. */
    public int extract(int wordValue) {
        requireSingleWord();
        return (wordValue & maskInWord()) >>> shift;
    }

    private void requireSingleWord() {
        if (bits > 32) {
            throw new IllegalArgumentException(
                    label + " has " + bits + " bits and lies in several words; use FieldBits");
        }
    }
}
