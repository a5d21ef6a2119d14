package dev.sluice.job.capture;

import dev.sluice.job.capture.ParsedPacket.Note;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;

/**
 * Parser of the upper layer of IP: ports, TCP flags, ICMP type and code, the SPI of ESP and AH.
 *
 * <p>Sources: RFC 4302, RFC 4303, RFC 9293. Not thread-safe.
 */
record TransportParser(PacketBytes bytes, AskedFields asked, EmbeddedPacket embedded) {
    /**
     * Parses the upper layer that an IP header names.
     *
     * @param icmp whether the protocol is the IP version's ICMP
     */
    void parse(int proto, int at, boolean icmp) {
        switch (proto) {
            case IpNumbers.TCP, IpNumbers.UDP, IpNumbers.SCTP, IpNumbers.UDP_LITE, IpNumbers.DCCP ->
                    ports(proto, at);
            case IpNumbers.GRE -> asked.readGre(bytes, at, bytes.out.words);
            case IpNumbers.ESP -> spi(at);
            case IpNumbers.AH -> spi(at + 4);
            default -> {
                if (icmp) {
                    icmp(at);
                }
            }
        }
    }

    private boolean layer4(long end) {
        return bytes.reach(end, PacketStatus.MALFORMED_L4_SHORT);
    }

    private void ports(int proto, int at) {
        ParsedPacket out = bytes.out;
        if (!layer4(at + 4L)) {
            return;
        }
        int[] w = out.words;
        w[HeaderWord.PORTS] = bytes.intAt(at);
        out.columns |= ParsedPacket.SRC_PORT | ParsedPacket.DST_PORT;
        if (proto == IpNumbers.TCP) {
            if (!layer4(at + 14L)) {
                return;
            }
            w[HeaderWord.TCP_FLAGS] = bytes.shortAt(at + 12) & 0xfff;
            out.columns |= ParsedPacket.TCP_FLAGS;
            if (bytes.byteAt(at + 12) >>> 4 < 5) {
                out.note(Note.TCP_DATA_OFFSET);
            }
            if (asked.segments && Field.FRAGMENT.extract(w[HeaderWord.IP]) == Field.FRAGMENT_NONE) {
                TcpSegmentParser.read(bytes, at, w);
            }
        } else if (proto == IpNumbers.UDP && bytes.has(at + 6L)) {
            // Length 0 is a jumbogram's (RFC 2675).
            int length = bytes.shortAt(at + 4);
            if (length > 0 && length < 8) {
                out.note(Note.UDP_LENGTH);
            }
        }
        w[HeaderWord.IP] |= Field.PORTS_PRESENT.maskInWord();
        lengths(proto, at);
    }

    /** Notes lengths that cannot be, and reads the chunks of SCTP, where that is asked for. */
    private void lengths(int proto, int at) {
        if (asked.flows && isMalformed(proto, at)) {
            Field.MALFORMED.put(bytes.out.words, 1);
        }
    }

    /**
     * Tells whether lengths in a header, of which the ports are there, contradict those of
     * nf_conntrack (tcp_error, udp_error, udplite_error, icmp_error, do_basic_checks of SCTP).
     * Bytes that were not captured contradict nothing, and of a fragment, or of an IP packet beyond
     * its frame, the length is not known.
     */
    private boolean isMalformed(int proto, int at) {
        ParsedPacket out = bytes.out;
        boolean whole =
                Field.FRAGMENT.extract(out.words[HeaderWord.IP]) == Field.FRAGMENT_NONE
                        && !out.has(Note.IP_LENGTH_BEYOND_FRAME);
        long length = whole ? bytes.payload - at : Long.MAX_VALUE;
        if (proto == IpNumbers.TCP) {
            int header = (bytes.byteAt(at + 12) >>> 4) * 4;
            return header < 20 || header > length;
        }
        if (proto == IpNumbers.SCTP) {
            return whole && !SctpParser.read(bytes, at, out.words);
        }
        if (length < 8) {
            return proto != IpNumbers.DCCP;
        }
        if (proto == IpNumbers.UDP && bytes.has(at + 6L)) {
            int stated = bytes.shortAt(at + 4);
            return stated < 8 || stated > length;
        }
        if (proto == IpNumbers.UDP_LITE && bytes.has(at + 8L)) {
            int covered = bytes.shortAt(at + 4);
            boolean all = covered == 0;
            return !all && (covered < 8 || covered > length) || bytes.shortAt(at + 6) == 0;
        }
        return false;
    }

    private void icmp(int at) {
        ParsedPacket out = bytes.out;
        if (!layer4(at + 2L)) {
            return;
        }
        out.words[HeaderWord.PORTS] = bytes.byteAt(at) << 16 | bytes.byteAt(at + 1);
        out.columns |= ParsedPacket.SRC_PORT | ParsedPacket.DST_PORT;
        out.words[HeaderWord.IP] |= Field.PORTS_PRESENT.maskInWord();
        lengths(IpNumbers.ICMP, at);
        if (bytes.has(at + 8L)) {
            out.icmp = bytes.icmpAt(at);
            boolean six = Field.IP_VERSION.extract(out.words[HeaderWord.IP]) == Field.VERSION_6;
            embedded.read(at, six);
            asked.readIcmp(bytes, at, six, out.words);
        }
    }

    /**
     * Sets the SPI from the bytes at a place. A packet too short for it has none, which is no
     * defect.
     */
    void spi(int at) {
        ParsedPacket out = bytes.out;
        if (bytes.has(at + 4L)) {
            out.words[HeaderWord.SPI] = bytes.intAt(at);
            out.words[HeaderWord.IP] |= Field.SPI_PRESENT.maskInWord();
        }
    }
}
