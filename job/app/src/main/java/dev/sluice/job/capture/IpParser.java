package dev.sluice.job.capture;

import static dev.sluice.schemas.header.Field.FRAGMENT_FIRST;
import static dev.sluice.schemas.header.Field.FRAGMENT_LATER;
import static dev.sluice.schemas.header.Field.FRAGMENT_NONE;
import static dev.sluice.schemas.header.Field.IP_VERSION;
import static dev.sluice.schemas.header.Field.TOS;
import static dev.sluice.schemas.header.Field.VERSION_4;
import static dev.sluice.schemas.header.Field.VERSION_6;

import dev.sluice.job.capture.ParsedPacket.Note;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;

/**
 * Parser of IP headers, and of IPv6's extension headers.
 *
 * <p>Sources: RFC 791, RFC 8200 section 4, RFC 4302. Not thread-safe.
 */
final class IpParser {
    private final PacketBytes bytes;
    private final TransportParser transport;
    private final AskedFields asked;

    /** Start of the last header's upper layer; -1: it is absent or in another fragment. */
    int payloadAt = -1;

    /** Protocol of the last header's upper layer. */
    int protocol;

    IpParser(PacketBytes bytes, AskedFields asked) {
        this.bytes = bytes;
        this.asked = asked;
        this.transport = new TransportParser(bytes, asked, new EmbeddedPacket(bytes, asked));
    }

    /** Forgets the previous header. */
    void reset() {
        payloadAt = -1;
    }

    private void upperLayer(int proto, int at, boolean icmp) {
        protocol = proto;
        payloadAt = at;
        transport.parse(proto, at, icmp);
    }

    private boolean ipHeader(long end) {
        return bytes.reach(end, PacketStatus.MALFORMED_IP_HEADER_SHORT);
    }

    private boolean ipVersion(int at, int version, int code) {
        ParsedPacket out = bytes.out;
        if (!ipHeader(at + 1)) {
            return false;
        }
        if (bytes.byteAt(at) >>> 4 != version) {
            out.status = PacketStatus.MALFORMED_IP_VERSION;
            return false;
        }
        out.words[HeaderWord.IP] |= IP_VERSION.place(code);
        out.columns |= ParsedPacket.IP_VERSION;
        return true;
    }

    /** Parses an IPv4 header and its upper layer. */
    void ipv4(int at) {
        reset();
        ParsedPacket out = bytes.out;
        if (!ipVersion(at, 4, VERSION_4)) {
            return;
        }
        int headerLength = (bytes.byteAt(at) & 0xf) * 4;
        if (!ipHeader(at + 20)) {
            return;
        }
        int[] w = out.words;
        w[HeaderWord.IP] |= bytes.byteAt(at + 1) << TOS.shift();
        int totalLength = bytes.shortAt(at + 2);
        int fragmentBits = bytes.shortAt(at + 6);
        fragment((fragmentBits & IpNumbers.FRAGMENT_OFFSET) != 0, (fragmentBits & 0x2000) != 0);
        if ((fragmentBits & (IpNumbers.FRAGMENT_OFFSET | 0x2000)) != 0) {
            out.datagram = bytes.shortAt(at + 4);
        }
        int proto = bytes.byteAt(at + 9);
        w[HeaderWord.IP] |= proto;
        w[HeaderWord.IPV4_SRC] = bytes.intAt(at + 12);
        w[HeaderWord.IPV4_DST] = bytes.intAt(at + 16);
        asked.read(AskedFields.Header.IPV4, bytes, at, bytes.out.words);
        out.columns |=
                ParsedPacket.TOS | ParsedPacket.PROTO | ParsedPacket.IP_SRC | ParsedPacket.IP_DST;
        if (headerLength < 20) {
            out.status = PacketStatus.MALFORMED_IP_HEADER_LENGTH;
            return;
        }
        if (totalLength == 0) {
            out.note(Note.IP_TOTAL_LENGTH_0);
        } else if (totalLength < headerLength) {
            out.status = PacketStatus.MALFORMED_IP_TOTAL_LENGTH;
            return;
        } else {
            limitPayload(at + totalLength);
        }
        if (at + headerLength > bytes.frame) {
            out.status = PacketStatus.MALFORMED_IP_HEADER_SHORT;
            return;
        }
        if ((fragmentBits & IpNumbers.FRAGMENT_OFFSET) == 0) {
            upperLayer(proto, at + headerLength, proto == IpNumbers.ICMP);
        }
    }

    private void limitPayload(long end) {
        ParsedPacket out = bytes.out;
        if (end > bytes.frame) {
            out.note(Note.IP_LENGTH_BEYOND_FRAME);
        } else {
            bytes.payload = end;
        }
    }

    private void fragment(boolean hasOffset, boolean more) {
        ParsedPacket out = bytes.out;
        out.columns |= ParsedPacket.FRAGMENT;
        int bits = hasOffset ? FRAGMENT_LATER : more ? FRAGMENT_FIRST : FRAGMENT_NONE;
        Field.FRAGMENT.put(out.words, bits);
    }

    /** Parses an IPv6 header and its upper layer. */
    void ipv6(int at) {
        reset();
        ParsedPacket out = bytes.out;
        if (!ipVersion(at, 6, VERSION_6) || !ipHeader(at + 40)) {
            return;
        }
        int[] w = out.words;
        w[HeaderWord.IP] |= (bytes.shortAt(at) >>> 4 & 0xff) << TOS.shift();
        int payloadLength = bytes.shortAt(at + 4);
        int next = bytes.byteAt(at + 6);
        for (int i = 0; i < 4; i++) {
            w[HeaderWord.IPV6_SRC + i] = bytes.intAt(at + 8 + 4 * i);
            w[HeaderWord.IPV6_DST + i] = bytes.intAt(at + 24 + 4 * i);
        }
        asked.read(AskedFields.Header.IPV6, bytes, at, bytes.out.words);
        out.columns |= ParsedPacket.TOS | ParsedPacket.IP_SRC | ParsedPacket.IP_DST;
        if (payloadLength == 0) {
            out.note(Note.IP_PAYLOAD_LENGTH_0);
        } else {
            limitPayload(at + 40L + payloadLength);
        }
        extensions(next, at + 40);
    }

    /** Parses the extension headers up to the upper-layer protocol (RFC 8200 section 4). */
    private void extensions(int first, int start) {
        int next = first;
        int at = start;
        fragment(false, false);
        while (IpNumbers.isExtension(next)) {
            int fixed = next == IpNumbers.FRAGMENT ? 8 : 2;
            if (!bytes.reach((long) at + fixed, PacketStatus.MALFORMED_IPV6_EXTENSION)) {
                return;
            }
            asked.extension(extension(next), bytes.out.words);
            int following = bytes.byteAt(at);
            int length = IpNumbers.extensionBytes(next, bytes.byteAt(at + 1));
            if (next == IpNumbers.FRAGMENT) {
                int bits = bytes.shortAt(at + 2);
                boolean hasOffset = (bits & 0xfff8) != 0;
                fragment(hasOffset, (bits & 1) != 0);
                bytes.out.datagram = bytes.intAt(at + 4);
                asked.read(AskedFields.Header.IPV6_FRAGMENT, bytes, at, bytes.out.words);
                if (hasOffset) {
                    proto(following);
                    return;
                }
            } else if (next == IpNumbers.AH) {
                transport.spi(at + 4);
            }
            if (!bytes.reach((long) at + length, PacketStatus.MALFORMED_IPV6_EXTENSION)) {
                return;
            }
            at += length;
            next = following;
        }
        proto(next);
        upperLayer(next, at, next == IpNumbers.ICMPV6);
    }

    private static int extension(int next) {
        return switch (next) {
            case IpNumbers.HOP_BY_HOP -> Field.EXTENSION_HOP_BY_HOP;
            case IpNumbers.ROUTING -> Field.EXTENSION_ROUTING;
            case IpNumbers.FRAGMENT -> Field.EXTENSION_FRAGMENT;
            case IpNumbers.AH -> Field.EXTENSION_AUTHENTICATION;
            default -> Field.EXTENSION_DESTINATION_OPTIONS;
        };
    }

    private void proto(int proto) {
        ParsedPacket out = bytes.out;
        out.words[HeaderWord.IP] |= proto;
        out.columns |= ParsedPacket.PROTO;
    }
}
