package dev.sluice.engine.hashtree;

/**
 * Layout of an image of an H-HashTree in words, which has the rows of a tuple space and, in the
 * place of its tuples, trees. The own words of the tuple space name the head.
 *
 * <pre>
 * head   main root | extra root | log2 entries of a filter | 4 x 2 filter arrays
 * node   layer | rules | for each group: table, log2 of its entries, rules
 * entry  0: empty; &gt; 0: first row of the bucket + 1; &lt; 0: ~node of the next layer
 * filter 16 bits an entry: 4 groups of layer 1, 8 of layer 2 above them
 * </pre>
 *
 * <p>Filters and groups are numbered by what their rules name, a bit each field.
 */
public final class HashTreeLayout {
    /** Offset of the main tree's root. */
    static final int MAIN = 0;

    /** Offset of the root of the extra tree. */
    static final int EXTRA_ROOT = 1;

    /** Log2 of the entries of a filter's array. */
    static final int FILTER_BITS = 2;

    /** Offsets of the filters' arrays, those of a filter behind each other. */
    static final int FILTERS = 3;

    /** Number of filters. */
    static final int FILTER_COUNT = 4;

    /** Arrays of a filter. */
    static final int ARRAYS = 2;

    /** Size of the head in words. */
    static final int HEAD = FILTERS + FILTER_COUNT * ARRAYS;

    /** Bits of a filter's entry: 4 groups of layer 1, 8 of layer 2. */
    static final int MASK_BITS = 12;

    /** Start of the bits of layer 2's groups. */
    static final int ETHERNET_AT = 4;

    /** All bits of a filter's entry. */
    static final int ALL_GROUPS = (1 << MASK_BITS) - 1;

    // A node.
    static final int LAYER = 0;
    static final int RULES = 1;

    /** Records of the groups. */
    static final int FIRST_GROUP = 2;

    // A group's record.
    /** Offset of the table, 0 without rules. */
    static final int TABLE = 0;

    /** Log2 of the table's entries. */
    static final int TABLE_BITS = 1;

    static final int GROUP_RULES = 2;

    /** Size of a group's record in words. */
    static final int GROUP = 3;

    // Bits of a filter's number.
    static final int FILTER_TYPE = 2;
    static final int FILTER_VLAN = 1;

    // Bits of a group's number, one each field of its layer.
    /** The last field of a layer. */
    static final int LAST_FIELD = 1;

    /** The field before the last one. */
    static final int LAST_BUT_ONE = 2;

    static final int GROUP_PORT = 4;
    static final int GROUP_SOURCE = LAST_BUT_ONE;
    static final int GROUP_DESTINATION = LAST_FIELD;
    static final int GROUP_TYPE = LAST_BUT_ONE;
    static final int GROUP_VLAN = LAST_FIELD;
    static final int GROUP_PRIORITY = LAST_BUT_ONE;
    static final int GROUP_TOS = LAST_FIELD;

    /** Groups of a layer of two fields. */
    static final int TWO_FIELDS = 4;

    /** Groups of a layer of three fields. */
    static final int THREE_FIELDS = 8;

    // What layers look at.
    /** Bits of the ToS: the differentiated services code point. */
    static final int DSCP = 0xfc;

    /** Bits that a prefix has at least which names an address. */
    static final int LONG_PREFIX = 17;

    /** Bits of layer 2's hash. */
    static final int ETHERNET_BITS = 12;

    /** Bits of the hash of the extra tree's second layer. */
    static final int EXTRA_BITS = 9;

    // Layers.
    /** Layer 1: both MAC addresses; 4 groups, 16 bits. */
    static final int MACS = 0;

    /** Layer 2: ingress port, EtherType, VLAN id; 8 groups, 12 bits. */
    static final int ETHERNET = 1;

    /** Layer 3: both IPv4 addresses by 'prefix of more than 16 bits'; 4 groups, 16 bits. */
    static final int ADDRESSES = 2;

    /** Layer 4: VLAN priority, ToS; 4 groups, 16 bits. */
    static final int QUALITY = 3;

    /** Second layer of the extra tree: ingress port, VLAN priority, ToS; 8 groups, 9 bits. */
    static final int EXTRA = 4;

    /** Nodes on the longest path from a root to a bucket. */
    static final int MOST_DEPTH = 5;

    private HashTreeLayout() {}
}
