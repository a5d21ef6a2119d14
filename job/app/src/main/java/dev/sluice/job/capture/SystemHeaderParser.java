package dev.sluice.job.capture;

import dev.sluice.schemas.header.Field;

/**
 * Parser of headers that a system's firewall or capture device puts before a packet: NFLOG, PFLOG,
 * ipnet, PKTAP, per-packet information.
 *
 * <p>After the link-layer header descriptions of libpcap. Not thread-safe.
 */
record SystemHeaderParser(PacketBytes bytes, EthernetParser link) {
    private static final int NFLOG_PACKET_HEADER = 1;
    private static final int NFLOG_MARK = 2;
    private static final int NFLOG_IN = 4;
    private static final int NFLOG_OUT = 5;
    private static final int NFLOG_PAYLOAD = 9;
    private static final int NFLOG_INET = 2;
    private static final int NFLOG_INET6 = 10;
    private static final int LEAST_PFLOG = 45;
    private static final int LEAST_PKTAP = 108;
    private static final int PKTAP_PACKET = 1;

    /**
     * Parses NFLOG: family, version, group, then attributes {length, type, value} padded to words.
     */
    void nflog(int at) {
        if (!link.reach(at + 4L)) {
            return;
        }
        int family = bytes.byteAt(at);
        int etherType = -1;
        int p = at + 4;
        // The capturing host's byte order: types are below 256, so the first one shows it.
        boolean bigEndian =
                bytes.has(p + 4L) && bytes.byteAt(p + 2) == 0 && bytes.byteAt(p + 3) != 0;
        while (p < bytes.frame) {
            if (!link.reach(p + 4L)) {
                return;
            }
            int length = bigEndian ? bytes.shortAt(p) : bytes.shortLeAt(p);
            int type = bigEndian ? bytes.shortAt(p + 2) : bytes.shortLeAt(p + 2);
            if (length < 4 || (long) p + length > bytes.frame) {
                link.malformed();
                return;
            }
            if (type == NFLOG_PAYLOAD) {
                nflogPayload(family, etherType, p + 4);
                return;
            }
            if (length == 8 && type >= NFLOG_MARK && type <= NFLOG_OUT && bytes.has(p + 8L)) {
                nflogFact(type, bytes.intAt(p + 4));
            }
            if (type == NFLOG_PACKET_HEADER && length >= 6) {
                if (!link.reach(p + 6L)) {
                    return;
                }
                etherType = bytes.shortAt(p + 4);
            }
            p += length + 3 & ~3;
        }
        link.notIp(); // a log without a payload
    }

    private void nflogFact(int type, int value) {
        switch (type) {
            case NFLOG_MARK -> Field.MARK.put(bytes.out.words, value);
            case NFLOG_IN -> bytes.out.inIndex = value;
            case NFLOG_OUT -> bytes.out.outIndex = value;
            default -> {}
        }
    }

    private void nflogPayload(int family, int etherType, int at) {
        switch (family) {
            case NFLOG_INET -> link.network(EthernetParser.TYPE_IPV4, at);
            case NFLOG_INET6 -> link.network(EthernetParser.TYPE_IPV6, at);
            default -> {
                if (etherType < 0) {
                    link.notIp();
                } else {
                    link.typed(etherType, at); // of a bridge, or a device
                }
            }
        }
    }

    /** Parses PFLOG: length without padding, family, and pf's decision. */
    void pflog(int at) {
        if (!link.reach(at + 2L)) {
            return;
        }
        int length = bytes.byteAt(at);
        int padded = length + 3 & ~3;
        if (length < LEAST_PFLOG) {
            link.malformed();
        } else if (link.reach(at + (long) padded)) {
            link.family(bytes.byteAt(at + 1), at + padded);
        }
    }

    /** Parses ipnet: version, family, and six further fields. */
    void ipnet(int at) {
        if (link.reach(at + 24L)) {
            link.family(bytes.byteAt(at + 1), at + 24);
        }
    }

    /**
     * Parses per-packet information: version, flags, length, link type, then fields.
     *
     * @return place of the packet behind it; -1: there is none
     */
    int ppi(int at) {
        if (!link.reach(at + 8L)) {
            return -1;
        }
        int length = bytes.shortLeAt(at + 2);
        if (length < 8) {
            link.malformed();
            return -1;
        }
        return link.reach(at + (long) length) ? at + length : -1;
    }

    /**
     * Parses PKTAP: length, kind of record, link type, then names of interface and process.
     *
     * @return place of the packet behind it; -1: there is none
     */
    int pktap(int at) {
        if (!link.reach(at + 12L)) {
            return -1;
        }
        long length = bytes.intLeAt(at) & 0xffffffffL;
        if (length < LEAST_PKTAP) {
            link.malformed();
        } else if (link.reach(at + length)) {
            if (bytes.intLeAt(at + 4) == PKTAP_PACKET) {
                return at + (int) length;
            }
            link.notIp();
        }
        return -1;
    }
}
