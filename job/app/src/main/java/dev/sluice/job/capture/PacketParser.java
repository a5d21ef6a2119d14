package dev.sluice.job.capture;

import dev.sluice.job.capture.ParsedPacket.Note;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;

/**
 * Parser of packets to header words: link layer, outer VLAN tag, IP header, ports. {@link
 * ParserOptions} choose the header.
 *
 * <p>{@link PacketBytes} defines which bytes are read, and the status of a packet that lacks them.
 * Fields before a defect stay filled.
 *
 * <p>{@link LinkParser}, {@link IpParser} and {@link TransportParser} parse the layers; {@link
 * TunnelParser} decapsulates tunnels. Not thread-safe: one parser for each thread.
 */
public final class PacketParser {
    private final PacketBytes bytes = new PacketBytes();
    private final LinkParser links;
    private final TunnelParser tunnels;
    private final boolean inner;

    /** Creates a parser of outer headers. */
    public PacketParser() {
        this(ParserOptions.DEFAULTS);
    }

    /** Creates a parser of the chosen headers. */
    public PacketParser(ParserOptions options) {
        this(options, AskedFields.LINES);
    }

    PacketParser(ParserOptions options, List<AskedFields.Line> lines) {
        AskedFields asked = new AskedFields(options.words(), lines);
        IpParser ip = new IpParser(bytes, asked);
        links = new LinkParser(bytes, ip, asked, options.tags());
        tunnels = new TunnelParser(bytes, ip, links);
        inner = options.isInner();
    }

    /**
     * Parses the present packet of a reader.
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

    /** Tells whether a link type is Ethernet. */
    public static boolean isEthernet(int linkType) {
        return linkType == LinkType.ETHERNET.number;
    }

    /**
     * Parses an Ethernet frame that was captured as a whole.
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
