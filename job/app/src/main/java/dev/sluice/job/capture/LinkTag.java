package dev.sluice.job.capture;

import org.jspecify.annotations.Nullable;

/**
 * Tag between the MAC addresses and the EtherType of the payload that Open vSwitch does not know.
 *
 * <p>A switch takes the tag's own EtherType for the frame's; {@link TagDepth#ALL} parses the
 * payload behind the tag.
 *
 * <p>Sources: IEEE 802.1BR, 802.1AE, 802.1CB, IEC 62439-3, and for the others the headers of
 * libpcap and Linux.
 */
enum LinkTag {
    /** First TPID of stacked tags before 802.1ad. */
    QINQ_9100(0x9100, "VLAN tag of TPID 0x9100", 2),
    VN_TAG(0x8926, "VN-Tag", 4),
    E_TAG(0x893f, "802.1BR E-TAG", 6),
    CISCO_METADATA(0x8909, "Cisco CMD (security group)", 0),
    MACSEC(0x88e5, "MACsec without encryption", 0),
    HSR(0x892f, "HSR", 4),
    R_TAG(0xf1c1, "802.1CB R-TAG", 4),
    EDSA(0xdada, "Marvell EDSA", 6);

    private static final LinkTag[] ALL = values();

    /** EtherType of the tag. */
    final int type;

    /** Name in documents. */
    final String title;

    /** Bytes from behind the tag's EtherType to the next one; 0: the tag tells them. */
    final int bytes;

    LinkTag(int type, String title, int bytes) {
        this.type = type;
        this.title = title;
        this.bytes = bytes;
    }

    /** Returns the tag of an EtherType; null: it is none. */
    static @Nullable LinkTag of(int type) {
        for (LinkTag tag : ALL) {
            if (tag.type == type) {
                return tag;
            }
        }
        return null;
    }
}
