package dev.sluice.job.explain;

import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.operators.connections.StatefulJudge;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.explain.Explainer;
import dev.sluice.policy.explain.JudgedPacket;
import dev.sluice.policy.explain.PacketLine;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Packets as users name them: in words, in hexadecimal digits, or by a capture and a number in it.
 *
 * @param parsing which header of a packet is judged
 * @param inPort ingress port of all packets; null: unknown
 * @param facts what captures tell beside headers; null: nothing that rules ask for
 * @param tracked opens a classifier that follows connections; null: captures tell no states
 */
public record NamedPacket(
        Explainer rules,
        ParserOptions parsing,
        @Nullable Integer inPort,
        CaptureBatch.@Nullable Facts facts,
        @Nullable Supplier<CaptureHits> tracked) {
    private static final Pattern NUMBERED = Pattern.compile("(.+)#([0-9]{1,18})");
    private static final Pattern HEX =
            Pattern.compile("(0[xX])?[0-9a-fA-F]+([\\s:]+[0-9a-fA-F]+)*");

    /** Header words of fields that a packet in words tells, whether rules ask for them or not. */
    private static final long TOLD =
            HeaderWord.bit(HeaderWord.TTL) | HeaderWord.bit(HeaderWord.IP_LENGTH);

    private static final int LEAST_DIGITS = 40;
    private static final int ETHERNET = 1;
    private static final int RAW_IP = 101;
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int TYPE_AT = 12;

    /** EtherTypes of IP, ARP and tags, by which a frame is told from a packet. */
    private static final Set<Integer> TYPES =
            Set.of(0x0800, 0x86dd, 0x0806, 0x8100, 0x88a8, 0x9100);

    /**
     * The packets of several words: one that stands without quotes, in hexadecimal digits too, or
     * one a word where these have blanks, name packets of captures, or are packets of digits each.
     */
    public static List<String> split(List<String> words) {
        boolean each =
                words.stream()
                                .anyMatch(
                                        word ->
                                                word.contains(" ")
                                                        || NUMBERED.matcher(word).matches())
                        || words.stream().allMatch(word -> digits(word).length() >= LEAST_DIGITS);
        return each ? words : List.of(String.join(" ", words));
    }

    /** The hexadecimal digits of a text; empty: it has others. */
    private static String digits(String text) {
        return HEX.matcher(text.strip()).matches() ? text.replaceAll("\\s|:|0[xX]", "") : "";
    }

    /**
     * Reads a packet.
     *
     * @throws SluiceException naming the word that is wrong, or the packet that is not there
     */
    public JudgedPacket read(String text) {
        Matcher numbered = NUMBERED.matcher(text.strip());
        if (numbered.matches()) {
            return ofCapture(Path.of(numbered.group(1)), Long.parseLong(numbered.group(2)));
        }
        if (tracked != null) {
            throw new SluiceException(
                    "packet: --conntrack tells states by the packets before in a capture; name CAPTURE#N, or leave out --conntrack and write new or established into the packet");
        }
        String digits = digits(text);
        if (digits.length() >= LEAST_DIGITS) {
            return ofBytes(digits);
        }
        JudgedPacket read = PacketLine.read(text, rules.asked());
        if (inPort != null && Field.IN_PORT_PRESENT.extract(read.header()[HeaderWord.IP]) == 0) {
            Field.IN_PORT.put(read.header(), inPort);
        }
        return read;
    }

    private PacketParser parser() {
        return new PacketParser(parsing.reading(rules.wordBits() | TOLD));
    }

    private JudgedPacket ofBytes(String digits) {
        if (digits.length() % 2 != 0) {
            throw new SluiceException(
                    "packet: has %s, half a byte too many or too few; write two a byte"
                            .formatted(Amount.of(digits.length(), "hexadecimal digit")));
        }
        byte[] bytes = HexFormat.of().parseHex(digits);
        boolean ip = isIp(bytes);
        ParsedPacket packet = new ParsedPacket();
        int wire = ip ? Math.max(bytes.length, ipLength(bytes)) : bytes.length;
        int link = ip ? RAW_IP : ETHERNET;
        parser().parse(bytes, 0, bytes.length, wire, link, packet);
        String from = ip ? "IP packet" : "Ethernet frame";
        return judged(packet, "packet: as an " + from, link, wire);
    }

    private static int shortAt(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
    }

    /** The length that an IP packet states. */
    private static int ipLength(byte[] bytes) {
        return bytes[0] >>> 4 == 4 ? shortAt(bytes, 2) : shortAt(bytes, 4) + IPV6_BYTES;
    }

    private static boolean isIp(byte[] bytes) {
        boolean v4 = bytes[0] >>> 4 == 4 && (bytes[0] & 0xf) >= 5;
        boolean v6 = bytes[0] >>> 4 == 6 && bytes.length >= IPV6_BYTES;
        if (!v4 && !v6) {
            return false;
        }
        boolean whole = bytes.length >= IPV4_BYTES && ipLength(bytes) == bytes.length;
        return whole || !TYPES.contains(shortAt(bytes, TYPE_AT));
    }

    private JudgedPacket ofCapture(Path file, long number) {
        if (number == 0) {
            throw new SluiceException(
                    file + "#0: packets of a capture are numbered from 1; write another number");
        }
        CaptureSource source = new CaptureSource(file);
        try (CaptureReader capture =
                source.isStandardInput() ? Captures.open(source.open()) : Captures.open(file)) {
            PacketParser parser = parser();
            ParsedPacket packet = new ParsedPacket();
            while (capture.packet() < number && capture.next()) {
                parser.parse(capture, packet); // which notes datagrams for later fragments
            }
            if (capture.packet() < number) {
                if (!capture.isCapture()) {
                    throw new SluiceException(capture.end().describe(file.toString()));
                }
                throw new SluiceException(
                        "%s#%d: the capture holds %s"
                                .formatted(
                                        file,
                                        number,
                                        capture.packet() == 0
                                                ? "no packet; name another one"
                                                : Amount.of(capture.packet(), "packet")
                                                        + "; write a lower number"));
            }
            if (facts != null && packet.status().isClassified()) {
                facts.put(capture, packet);
            }
            JudgedPacket judged =
                    judged(packet, file + "#" + number, capture.linkType(), capture.frameLength());
            if (tracked != null) {
                judged.header()[HeaderWord.CONNECTION] = state(tracked.get(), source, number);
            }
            return judged;
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("capture", file, e), e);
        }
    }

    /** The word of the state that the packets before, and their verdicts, give a packet. */
    private static int state(CaptureHits tracking, CaptureSource source, long number)
            throws IOException {
        if (source.isStandardInput()) {
            throw new SluiceException(
                    "-#%d: --conntrack reads a capture again, which standard input cannot; name a file"
                            .formatted(number));
        }
        try (CaptureHits hits = tracking;
                CaptureReader capture = Captures.open(source.path())) {
            CaptureBatch batch = hits.newBatch();
            for (long before = -1; capture.packet() < number; ) {
                if (capture.packet() == before) {
                    throw new SluiceException(
                            "%s#%d: the file has changed meanwhile; run the command again"
                                    .formatted(source.path(), number));
                }
                before = capture.packet();
                batch.clear(0);
                while (!batch.isFull() && capture.packet() < number && capture.next()) {
                    batch.add(capture);
                }
                hits.classify(batch);
            }
            return hits.isTracking()
                    ? StatefulJudge.word(batch.states()[batch.headers().size() - 1])
                    : 0;
        }
    }

    private JudgedPacket judged(ParsedPacket packet, String name, int linkType, int length) {
        if (!packet.status().isClassified()) {
            throw new SluiceException(
                    "%s: cannot be classified: %s"
                            .formatted(name, packet.status().reason(linkType)));
        }
        int[] words = packet.words().clone();
        if (inPort != null) {
            Field.IN_PORT.put(words, inPort);
        }
        if ((rules.wordBits() & HeaderWord.bit(HeaderWord.FRAME_LENGTH)) != 0) {
            Field.FRAME_LENGTH.put(words, length);
        }
        return new JudgedPacket(words, null);
    }
}
