package dev.sluice.job.capture;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;

/**
 * Setter of match words from the fields of an Ethernet header. The callers have checked the bounds.
 */
final class EthernetFields {
    private final PacketBytes bytes;

    EthernetFields(PacketBytes bytes) {
        this.bytes = bytes;
    }

    /** Tells whether an EtherType is that of a VLAN tag, to Open vSwitch too. */
    static boolean isVlanTag(int type) {
        return type == 0x8100 || type == 0x88a8;
    }

    /** Sets a MAC address from the bytes at a place. */
    void mac(Field field, int at) {
        ParsedPacket out = bytes.out;
        int[] w = out.words;
        int high = bytes.shortAt(at);
        int low = bytes.intAt(at + 2);
        if (field.word() == HeaderWord.MAC_HIGH) {
            w[HeaderWord.MAC_HIGH] = high << 16 | low >>> 16;
            w[HeaderWord.MAC_MIDDLE] |= low << 16;
            w[HeaderWord.IP] |= Field.ETH_SRC_PRESENT.maskInWord();
            out.columns |= ParsedPacket.ETH_SRC;
        } else {
            w[HeaderWord.MAC_MIDDLE] |= high;
            w[HeaderWord.MAC_LOW] = low;
            w[HeaderWord.IP] |= Field.ETH_DST_PRESENT.maskInWord();
            out.columns |= ParsedPacket.ETH_DST;
        }
    }

    /** Sets the control field of a VLAN tag. */
    void vlanTag(int tag) {
        ParsedPacket out = bytes.out;
        // The word's presence bit takes the place of the tag's drop-eligible bit.
        out.words[HeaderWord.ETHER] |= tag & 0xefff | Field.VLAN_PRESENT.maskInWord();
        out.columns |= ParsedPacket.VLAN;
    }

    /** Sets the EtherType. */
    void etherType(int type) {
        ParsedPacket out = bytes.out;
        out.words[HeaderWord.ETHER] |= type << 16;
        out.columns |= ParsedPacket.ETH_TYPE;
    }
}
