package dev.sluice.job.capture;

import dev.sluice.job.capture.ParsedPacket.Note;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;

/**
 * Packet bytes to header words: link layer, outer VLAN tag, IP header, ports. Which header counts,
 * say its {@link ParserOptions}.
 *
 * <p>{@link PacketBytes} says which bytes are read and what their lack means. Fields before a
 * defect stay filled.
 *
 * <p>{@link LinkParser}, {@link IpParser} and {@link TransportParser} parse the layers, {@link
 * TunnelParser} opens tunnels. Not thread-safe: one parser for each thread.
 */
public final class PacketParser {
    private final PacketBytes bytes = new PacketBytes();
    private final LinkParser links;
    private final TunnelParser tunnels;
    private final boolean inner;

    /** A parser of outer headers. */
    public PacketParser() {
        this(ParserOptions.DEFAULTS);
    }

    /** A parser of the headers that were chosen. */
    public PacketParser(ParserOptions options) {
        IpParser ip = new IpParser(bytes);
        links = new LinkParser(bytes, ip, options.tags());
        tunnels = new TunnelParser(bytes, ip, links);
        inner = options.isInner();
    }

    /**
     * Parses the packet that a reader stands at.
     *
     * @param result is overwritten
     */
    public void parse(CaptureReader capture, ParsedPacket result) {
        parse(
                capture.bytes(),
                capture.dataAt(),
                capture.capturedLength(),
                capture.wireLength(),
                capture.linkType(),
                result);
    }

    /** Whether a link type is that of Ethernet frames. */
    public static boolean isEthernet(int linkType) {
        return linkType == LinkType.ETHERNET.number;
    }

    /**
     * Parses an Ethernet frame of which all bytes are there.
     *
     * @param result is overwritten
     */
    public void parseEthernet(byte[] frame, ParsedPacket result) {
        parse(frame, 0, frame.length, frame.length, LinkType.ETHERNET.number, result);
    }

    /**
     * Parses one packet.
     *
     * @param from holds the packet
     * @param at index of its first byte
     * @param capturedLength bytes captured; all of them lie within {@code from}
     * @param wireLength length of the frame on the wire
     * @param linkType link type of the capture
     * @param result is overwritten
     */
    public void parse(
            byte[] from,
            int at,
            int capturedLength,
            long wireLength,
            int linkType,
            ParsedPacket result) {
        result.clear();
        links.reset();
        bytes.reset(from, at, capturedLength, wireLength, result);
        if (capturedLength > wireLength) {
            result.note(Note.CAPLEN_BEYOND_WIRELEN);
        }
        if (isEthernet(linkType)) {
            links.ethernet(at);
        } else {
            links.packet(linkType, at);
        }
        if (inner && result.status.isClassified()) {
            tunnels.lookThrough();
        }
        if (result.status == PacketStatus.NOT_IP && !result.has(ParsedPacket.ETH_TYPE)) {
            result.words[HeaderWord.ETHER] |= Field.ETH_TYPE.place(Field.NO_ETHER_TYPE);
        }
    }
}
