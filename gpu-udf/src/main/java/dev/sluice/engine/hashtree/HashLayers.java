package dev.sluice.engine.hashtree;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;

/**
 * The layers' groups and hashes: a rule's group in a layer says which of the layer's fields it
 * names, and its place in the group's table is a hash of those fields.
 */
final class HashLayers {
    static final int[] GROUPS = {4, 8, 4, 4, 8};
    static final int[] BITS = {16, 12, 16, 16, 9};

    /** Layer below each, -1 for none. */
    static final int[] NEXT = {
        HashTreeLayout.ETHERNET, HashTreeLayout.ADDRESSES, HashTreeLayout.QUALITY, -1, -1
    };

    /** Layer below the addresses in the extra tree. */
    static final int NEXT_IN_EXTRA = HashTreeLayout.EXTRA;

    private static final int DSCP = 0xfc;

    private HashLayers() {}

    private static boolean names(int[] mask, Field field) {
        return (mask[field.word()] & field.maskInWord()) == field.maskInWord();
    }

    static boolean namesSource(int[] mask) {
        return mask[HeaderWord.MAC_HIGH] == -1 && mask[HeaderWord.MAC_MIDDLE] >>> 16 == 0xffff;
    }

    static boolean namesDestination(int[] mask) {
        return mask[HeaderWord.MAC_LOW] == -1 && (mask[HeaderWord.MAC_MIDDLE] & 0xffff) == 0xffff;
    }

    static boolean namesType(int[] mask) {
        return names(mask, Field.ETH_TYPE);
    }

    static boolean namesVlan(int[] mask) {
        return names(mask, Field.VLAN_ID);
    }

    private static boolean namesTos(int[] mask) {
        return (mask[HeaderWord.IP] >>> Field.TOS.shift() & DSCP) == DSCP;
    }

    private static int bit(boolean set, int bit) {
        return set ? 1 << bit : 0;
    }

    /** Group of a rule in a layer. */
    static int group(int layer, int[] mask) {
        return switch (layer) {
            case HashTreeLayout.MACS -> bit(namesSource(mask), 1) | bit(namesDestination(mask), 0);
            case HashTreeLayout.ETHERNET ->
                    bit(mask[HeaderWord.IN_PORT] == -1, 2)
                            | bit(namesType(mask), 1)
                            | bit(namesVlan(mask), 0);
            case HashTreeLayout.ADDRESSES ->
                    bit(longerThan16(mask[HeaderWord.IPV4_SRC]), 1)
                            | bit(longerThan16(mask[HeaderWord.IPV4_DST]), 0);
            case HashTreeLayout.QUALITY ->
                    bit(names(mask, Field.VLAN_PRIORITY), 1) | bit(namesTos(mask), 0);
            default ->
                    bit(mask[HeaderWord.IN_PORT] == -1, 2)
                            | bit(names(mask, Field.VLAN_PRIORITY), 1)
                            | bit(namesTos(mask), 0);
        };
    }

    private static boolean longerThan16(int mask) {
        return Integer.numberOfLeadingZeros(~mask) > 16;
    }

    /** Hash of the fields that a group names, of {@link #BITS} bits. */
    static int hash(int layer, int group, int[] words) {
        int h = 0;
        boolean two = (group & 2) != 0;
        boolean one = (group & 1) != 0;
        switch (layer) {
            case HashTreeLayout.MACS -> {
                int high = words[HeaderWord.MAC_HIGH];
                int middle = words[HeaderWord.MAC_MIDDLE];
                int low = words[HeaderWord.MAC_LOW];
                h ^= two ? high >>> 16 ^ high & 0xffff ^ middle >>> 16 : 0;
                h ^= one ? middle & 0xffff ^ low >>> 16 ^ low & 0xffff : 0;
            }
            case HashTreeLayout.ETHERNET -> {
                int port = words[HeaderWord.IN_PORT];
                int type = Field.ETH_TYPE.extract(words[HeaderWord.ETHER]);
                h ^= (group & 4) != 0 ? port ^ port >>> 12 ^ port >>> 24 : 0;
                h ^= two ? type ^ type >>> 12 : 0;
                h ^= one ? Field.VLAN_ID.extract(words[HeaderWord.ETHER]) : 0;
                h &= 0xfff;
            }
            case HashTreeLayout.ADDRESSES -> {
                h ^= two ? words[HeaderWord.IPV4_SRC] >>> 16 : 0;
                // Rotated: the exclusive or of two equal upper halves would be 0 otherwise.
                int d = one ? words[HeaderWord.IPV4_DST] >>> 16 : 0;
                h ^= d << 7 & 0xffff | d >>> 9;
            }
            case HashTreeLayout.QUALITY -> {
                h ^= two ? Field.VLAN_PRIORITY.extract(words[HeaderWord.ETHER]) << 8 : 0;
                h ^= one ? Field.TOS.extract(words[HeaderWord.IP]) & DSCP : 0;
            }
            default -> {
                int port = words[HeaderWord.IN_PORT];
                h ^= (group & 4) != 0 ? port ^ port >>> 9 ^ port >>> 18 ^ port >>> 27 : 0;
                h ^= two ? Field.VLAN_PRIORITY.extract(words[HeaderWord.ETHER]) << 6 : 0;
                h ^= one ? Field.TOS.extract(words[HeaderWord.IP]) >>> 2 : 0;
                h &= 0x1ff;
            }
        }
        return h;
    }
}
