package dev.sluice.job.capture;

/**
 * Parser of 802.11 frames, with a radiotap header or without.
 *
 * <p>A frame that is encrypted, a later fragment, or no data frame counts as no IP. Of several
 * packets in one frame (A-MSDU) the first is parsed. Not thread-safe.
 */
record WirelessParser(PacketBytes bytes, EthernetParser link) {
    private static final int RADIOTAP_TIME = 1;
    private static final int RADIOTAP_FLAGS = 2;
    private static final int RADIOTAP_PADDED = 0x20;

    /**
     * Mask of version and type in frame control's first byte; the next constant is their value for
     * data.
     */
    private static final int KIND = 0x0f;

    private static final int DATA = 0x08;
    private static final int WITHOUT_DATA = 0x40;
    private static final int QOS = 0x80;

    // Flags, the second byte.
    private static final int TO_SYSTEM = 1;
    private static final int FROM_SYSTEM = 2;
    private static final int PROTECTED = 0x40;
    private static final int ORDER = 0x80;

    private static final int AGGREGATE = 0x80;

    void radiotap(int at) {
        if (!link.reach(at + 8L)) {
            return;
        }
        int length = bytes.shortLeAt(at + 2);
        if (length < 8) {
            link.malformed();
        } else if (link.reach(at + (long) length)) {
            frame(at + length, (radiotapFlags(at, at + length) & RADIOTAP_PADDED) != 0);
        }
    }

    /** Returns the flags field of radiotap; 0 if it is absent. */
    private int radiotapFlags(int start, int end) {
        int present = bytes.intLeAt(start + 4);
        int at = start + 8;
        for (int word = present; word < 0 && at + 4 <= end; at += 4) {
            word = bytes.intLeAt(at); // the highest bit: another word follows
        }
        if ((present & RADIOTAP_TIME) != 0) {
            at = start + (at - start + 7 & ~7) + 8;
        }
        return (present & RADIOTAP_FLAGS) != 0 && at < end ? bytes.byteAt(at) : 0;
    }

    /**
     * Parses a frame; any but a data frame counts as no IP.
     *
     * @param padded whether the header is padded to words
     */
    void frame(int at, boolean padded) {
        if (link.reach(at + 2L)) {
            frame(at, bytes.byteAt(at), bytes.byteAt(at + 1), padded);
        }
    }

    /** Parses a frame whose controller may have swapped the two bytes of frame control. */
    void maybeSwapped(int at) {
        if (link.reach(at + 2L)) {
            int first = bytes.byteAt(at);
            int second = bytes.byteAt(at + 1);
            boolean swapped = (first & KIND) != DATA && (second & KIND) == DATA;
            frame(at, swapped ? second : first, swapped ? first : second, false);
        }
    }

    private void frame(int at, int kind, int flags, boolean padded) {
        if ((kind & KIND) != DATA) {
            link.notIp();
            return;
        }
        boolean to = (flags & TO_SYSTEM) != 0;
        boolean from = (flags & FROM_SYSTEM) != 0;
        boolean qos = (kind & QOS) != 0;
        int qosAt = at + (to && from ? 30 : 24);
        int length = qosAt - at + (qos ? 2 : 0) + (qos && (flags & ORDER) != 0 ? 4 : 0);
        if (!link.reach(at + (long) length)) {
            return;
        }
        boolean laterFragment = (bytes.byteAt(at + 22) & 0x0f) != 0;
        boolean closed = (kind & WITHOUT_DATA) != 0 || (flags & PROTECTED) != 0 || laterFragment;
        int inner = at + (padded ? length + 3 & ~3 : length);
        if (!closed && qos && (bytes.byteAt(qosAt) & AGGREGATE) != 0) {
            // The first of several: addresses, length, LLC.
            if (link.reach(inner + 14L) && link.addresses(inner, inner + 6)) {
                link.llc(inner + 14);
            }
            return;
        }
        int source = from ? to ? at + 24 : at + 16 : at + 10;
        if (link.addresses(to ? at + 16 : at + 4, source) && !closed) {
            link.llc(inner);
        } else {
            link.notIp();
        }
    }
}
