package dev.sluice.engine.hashtree;

import dev.sluice.engine.image.HashMultipliers;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;

/**
 * The layers' groups and hashes: a rule's group in a layer says which of the layer's fields it
 * names, and its place in the group's table is a hash of those fields.
 */
final class HashLayers {
    static final int[] GROUPS = {
        HashTreeLayout.TWO_FIELDS,
        HashTreeLayout.THREE_FIELDS,
        HashTreeLayout.TWO_FIELDS,
        HashTreeLayout.TWO_FIELDS,
        HashTreeLayout.THREE_FIELDS
    };
    static final int[] BITS = {16, HashTreeLayout.ETHERNET_BITS, 16, 16, HashTreeLayout.EXTRA_BITS};

    /** Layer below each, -1 for none. */
    static final int[] NEXT = {
        HashTreeLayout.ETHERNET, HashTreeLayout.ADDRESSES, HashTreeLayout.QUALITY, -1, -1
    };

    /** Layer below the addresses in the extra tree. */
    static final int NEXT_IN_EXTRA = HashTreeLayout.EXTRA;

    private static final long WHOLE_MAC = (1L << Field.ETH_SRC.bits()) - 1;

    private HashLayers() {}

    private static boolean names(int[] mask, Field field) {
        return (mask[field.word()] & field.maskInWord()) == field.maskInWord();
    }

    static boolean namesSource(int[] mask) {
        return FieldBits.mac(mask, Field.ETH_SRC) == WHOLE_MAC;
    }

    static boolean namesDestination(int[] mask) {
        return FieldBits.mac(mask, Field.ETH_DST) == WHOLE_MAC;
    }

    static boolean namesType(int[] mask) {
        return names(mask, Field.ETH_TYPE);
    }

    static boolean namesVlan(int[] mask) {
        return names(mask, Field.VLAN_ID);
    }

    private static boolean namesTos(int[] mask) {
        return (mask[HeaderWord.IP] >>> Field.TOS.shift() & HashTreeLayout.DSCP)
                == HashTreeLayout.DSCP;
    }

    private static int bit(boolean set, int bit) {
        return set ? bit : 0;
    }

    /** Group of a rule in a layer. */
    static int group(int layer, int[] mask) {
        return switch (layer) {
            case HashTreeLayout.MACS ->
                    bit(namesSource(mask), HashTreeLayout.GROUP_SOURCE)
                            | bit(namesDestination(mask), HashTreeLayout.GROUP_DESTINATION);
            case HashTreeLayout.ETHERNET ->
                    bit(mask[HeaderWord.IN_PORT] == -1, HashTreeLayout.GROUP_PORT)
                            | bit(namesType(mask), HashTreeLayout.GROUP_TYPE)
                            | bit(namesVlan(mask), HashTreeLayout.GROUP_VLAN);
            case HashTreeLayout.ADDRESSES ->
                    bit(isLong(mask[HeaderWord.IPV4_SRC]), HashTreeLayout.GROUP_SOURCE)
                            | bit(
                                    isLong(mask[HeaderWord.IPV4_DST]),
                                    HashTreeLayout.GROUP_DESTINATION);
            case HashTreeLayout.QUALITY ->
                    bit(names(mask, Field.VLAN_PRIORITY), HashTreeLayout.GROUP_PRIORITY)
                            | bit(namesTos(mask), HashTreeLayout.GROUP_TOS);
            default ->
                    bit(mask[HeaderWord.IN_PORT] == -1, HashTreeLayout.GROUP_PORT)
                            | bit(names(mask, Field.VLAN_PRIORITY), HashTreeLayout.GROUP_PRIORITY)
                            | bit(namesTos(mask), HashTreeLayout.GROUP_TOS);
        };
    }

    private static boolean isLong(int mask) {
        return Integer.numberOfLeadingZeros(~mask) >= HashTreeLayout.LONG_PREFIX;
    }

    /** Hash of the fields that a group names, of {@link #BITS} bits. */
    static int hash(int layer, int group, int[] words) {
        int h = 0;
        boolean two = (group & HashTreeLayout.LAST_BUT_ONE) != 0;
        boolean one = (group & HashTreeLayout.LAST_FIELD) != 0;
        switch (layer) {
            case HashTreeLayout.MACS -> {
                int high = words[HeaderWord.MAC_HIGH];
                int middle = words[HeaderWord.MAC_MIDDLE];
                int low = words[HeaderWord.MAC_LOW];
                h ^= two ? high >>> 16 ^ high & 0xffff ^ middle >>> FieldBits.MIDDLE_SRC_SHIFT : 0;
                h ^= one ? middle & FieldBits.MIDDLE_DST_MASK ^ low >>> 16 ^ low & 0xffff : 0;
            }
            case HashTreeLayout.ETHERNET -> {
                final int bits = HashTreeLayout.ETHERNET_BITS;
                int port = words[HeaderWord.IN_PORT];
                int type = Field.ETH_TYPE.extract(words[HeaderWord.ETHER]);
                boolean named = (group & HashTreeLayout.GROUP_PORT) != 0;
                h ^= named ? port ^ port >>> bits ^ port >>> 2 * bits : 0;
                h ^= two ? type ^ type >>> bits : 0;
                h ^= one ? Field.VLAN_ID.extract(words[HeaderWord.ETHER]) : 0;
                h &= (1 << bits) - 1;
            }
            case HashTreeLayout.ADDRESSES -> {
                h ^= two ? words[HeaderWord.IPV4_SRC] >>> 16 : 0;
                // Rotated: the exclusive or of two equal upper halves would be 0 otherwise.
                int d = one ? words[HeaderWord.IPV4_DST] >>> 16 : 0;
                h ^= d << 7 & 0xffff | d >>> 9;
            }
            case HashTreeLayout.QUALITY -> {
                h ^= two ? Field.VLAN_PRIORITY.extract(words[HeaderWord.ETHER]) << 8 : 0;
                h ^= one ? Field.TOS.extract(words[HeaderWord.IP]) & HashTreeLayout.DSCP : 0;
            }
            default -> {
                final int bits = HashTreeLayout.EXTRA_BITS;
                int port = words[HeaderWord.IN_PORT];
                boolean named = (group & HashTreeLayout.GROUP_PORT) != 0;
                h ^= named ? port ^ port >>> bits ^ port >>> 2 * bits ^ port >>> 3 * bits : 0;
                h ^= two ? Field.VLAN_PRIORITY.extract(words[HeaderWord.ETHER]) << 6 : 0;
                h ^= one ? Field.TOS.extract(words[HeaderWord.IP]) >>> 2 : 0;
                h &= (1 << bits) - 1;
            }
        }
        return h;
    }

    /** Offset of the entry of a hash in the table of a group. */
    static int entry(int[] w, int record, int hash) {
        return w[record + HashTreeLayout.TABLE]
                + (hash * HashMultipliers.GOLDEN >>> 32 - w[record + HashTreeLayout.TABLE_BITS]);
    }
}
