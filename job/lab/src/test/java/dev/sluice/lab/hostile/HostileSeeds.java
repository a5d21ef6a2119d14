package dev.sluice.lab.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.CaptureSeeds;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.kafka.BlockBuilder;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.policy.RuleFile;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleStatistics;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.testing.SharedData;
import dev.sluice.schemas.testing.TestData;
import dev.sluice.schemas.testing.VerdictBlocks;
import dev.sluice.schemas.testing.Verdicts;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.opentest4j.TestAbortedException;

/** Inputs that hostile ones are made of: the project's own, and shared data where it is. */
final class HostileSeeds {
    private static final int MOST_BYTES = 64 << 10;
    private static final int LINES = 40;
    private static final int PACKETS = 60;

    private HostileSeeds() {}

    /** Returns all seeds of a target; some of the shared captures are damaged. */
    static List<byte[]> of(HostileTarget target) throws IOException {
        return switch (target) {
            case HEADERS -> packets(captures());
            case CAPTURE -> captures();
            default -> good(target);
        };
    }

    /** Returns those seeds of a target that its reader must take, at least one. */
    static List<byte[]> good(HostileTarget target) throws IOException {
        return switch (target) {
            case HEADERS -> packets(goodCaptures());
            case CAPTURE -> goodCaptures();
            case MESSAGE -> messages();
            case RULES -> rules();
            case POLICY -> policies();
            case CLUSTER -> clusters();
            case LISTS -> lists();
            case TRANSACTIONS -> transactions();
            case TRACE -> traces();
        };
    }

    private static List<byte[]> lists() throws IOException {
        List<byte[]> seeds = new ArrayList<>();
        for (String name : List.of("edge.cfg", "nexus.txt", "firewall.asa")) {
            seeds.add(Files.readAllBytes(TestData.inCheckout("test-data/cisco/" + name)));
        }
        return seeds;
    }

    private static List<byte[]> clusters() throws IOException {
        List<byte[]> seeds = new ArrayList<>();
        for (String name : List.of("cluster", "calico", "cilium")) {
            seeds.add(
                    Files.readAllBytes(
                            TestData.inCheckout("test-data/kubernetes/" + name + ".yaml")));
        }
        Path clouds = TestData.inCheckout("test-data/cloud");
        seeds.add(Files.readAllBytes(clouds.resolve("azure.json")));
        seeds.add(Files.readAllBytes(clouds.resolve("gcp.json")));
        String aws =
                Files.readString(clouds.resolve("aws/groups.json"))
                        + Files.readString(clouds.resolve("aws/acls.json"))
                        + Files.readString(clouds.resolve("aws/interfaces.json"));
        seeds.add(aws.getBytes(UTF_8));
        for (String kind : List.of("pf", "set", "fortigate")) {
            seeds.add(
                    Files.readAllBytes(TestData.inCheckout("test-data/appliance/office." + kind)));
        }
        String xml =
                "<config version=\"1\"><shared><pre-rulebase><security><rules><entry name=\"a\">"
                        + "<source><member>10.0.0.0/8</member></source><action>allow</action>"
                        + "</entry></rules></security></pre-rulebase></shared></config>";
        seeds.add(xml.getBytes(UTF_8));
        for (String name : List.of("edge.conf", "edge.set", "branch.set")) {
            seeds.add(Files.readAllBytes(TestData.inCheckout("test-data/junos/" + name)));
        }
        return seeds;
    }

    /** Files of the shared data that are small, in the order of their names; none where absent. */
    private static List<Path> shared(String folder, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(SharedData.folder(folder))) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.getFileName().toString().endsWith(ending))
                    .sorted()
                    .toList();
        } catch (TestAbortedException e) {
            return List.of(); // the data is not beside this checkout: the project's own is
        }
    }

    /** The first blocks of a pcapng capture, each with its length in its second word. */
    private static byte[] office() throws IOException {
        try (InputStream in =
                new GZIPInputStream(Files.newInputStream(TestData.office("office.pcapng.gz")))) {
            ByteBuffer capture =
                    ByteBuffer.wrap(in.readNBytes(MOST_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
            int end = 0;
            while (end + 8 <= MOST_BYTES && end + capture.getInt(end + 4) <= MOST_BYTES) {
                end += capture.getInt(end + 4);
            }
            return Arrays.copyOf(capture.array(), end);
        }
    }

    private static List<byte[]> goodCaptures() throws IOException {
        List<byte[]> seeds = new ArrayList<>();
        seeds.add(office());
        seeds.addAll(CaptureSeeds.captures());
        return seeds;
    }

    private static List<byte[]> captures() throws IOException {
        List<byte[]> seeds = goodCaptures();
        for (Path file : shared("captures/files", "")) {
            if (Files.size(file) <= MOST_BYTES) {
                seeds.add(Files.readAllBytes(file));
            }
        }
        return seeds;
    }

    private static List<byte[]> packets(List<byte[]> captures) throws IOException {
        List<byte[]> seeds = new ArrayList<>(CaptureSeeds.packets());
        for (byte[] capture : captures) {
            try (CaptureReader reader = Captures.open(new ByteArrayInputStream(capture))) {
                for (int i = 0; i < 3 && reader.next(); i++) {
                    ByteBuffer seed = ByteBuffer.allocate(2 + reader.capturedLength());
                    seed.putShort((short) reader.linkType());
                    seed.put(reader.bytes(), reader.dataAt(), reader.capturedLength());
                    seeds.add(seed.array());
                }
            }
        }
        return seeds;
    }

    private static List<byte[]> messages() throws IOException {
        List<byte[]> seeds = new ArrayList<>();
        BlockBuilder block = new BlockBuilder(3, 8, PACKETS);
        PacketParser parser = new PacketParser();
        ParsedPacket packet = new ParsedPacket();
        try (CaptureReader reader = Captures.open(TestData.office("office.pcapng.gz"))) {
            for (boolean full = false; !full && reader.next(); ) {
                parser.parse(reader, packet);
                full = block.add(packet.words(), reader.packet(), reader.timeNs(), 60);
            }
        }
        seeds.add(block.take("office.pcapng.gz", 0).encode());
        seeds.add(
                new DeadLetter(
                                "a reason",
                                "detail",
                                null,
                                new DeadLetter.Message("t", 0, 7, new byte[2]))
                        .encode());
        seeds.add(Verdicts.of("c", 0, 7, 8, 9L, 1, 2, "drop", 3).encode());
        seeds.add(
                VerdictBlocks.of(
                                "c",
                                0,
                                0,
                                3,
                                2,
                                new long[] {9},
                                Column.ofLongs(Column.PACKET, new long[] {7, 8}, 0, 2),
                                null,
                                Column.ofWords(Column.RULE, new int[] {1, 0}, 0, 2))
                        .encode());
        seeds.add(
                new RuleStatistics("h", -5L, 0, Column.NO_TIME, 0, 7, 8, -9, 10, 11, 12).encode());
        seeds.add(
                new Connection(
                                new Connection.Opening(
                                        "c", "", VerdictOutcome.DENY, 5L, 6, "drop", "r", 7, ""),
                                new Connection.Ends(new byte[4], new byte[4], 6, 1, 2, null),
                                8,
                                Column.NO_TIME,
                                new Connection.Traffic(1, 2),
                                new Connection.Traffic(3, 4),
                                "established",
                                "timeout",
                                9L)
                        .encode());
        return seeds;
    }

    private static byte[] firstLines(Path file) throws IOException {
        List<String> lines =
                file.getFileName().toString().endsWith(".gz")
                        ? SharedData.gzipLines(file)
                        : Files.readAllLines(file, ISO_8859_1);
        return String.join("\n", lines.subList(0, Math.min(LINES, lines.size()))).getBytes(UTF_8);
    }

    private static List<byte[]> rules() throws IOException {
        List<byte[]> seeds = new ArrayList<>();
        seeds.add(firstLines(TestData.office("office.ovs")));
        seeds.add(
                "@10.0.0.0/8 192.168.1.0/24 0 : 65535 80 : 80 0x06/0xFF 0x0000/0x0000"
                        .getBytes(UTF_8));
        for (Path file : shared("rules", "k.rules.gz")) {
            seeds.add(firstLines(file));
        }
        return seeds;
    }

    private static List<byte[]> policies() throws IOException {
        Path host = TestData.inCheckout("test-data/iptables/host.save");
        String v6 =
                "*filter\n:INPUT DROP [0:0]\n:a - [0:0]\n-A INPUT -s fe80::/10 -g a\n"
                        + "-A a -p ipv6-icmp -m icmp6 --icmpv6-type 135 -j ACCEPT\nCOMMIT\n";
        return List.of(
                Files.readAllBytes(host),
                v6.getBytes(UTF_8),
                Files.readAllBytes(TestData.inCheckout("test-data/nft/host.nft")),
                Files.readAllBytes(TestData.inCheckout("test-data/nft/list.json")));
    }

    private static List<byte[]> traces() throws IOException {
        List<byte[]> seeds = new ArrayList<>();
        seeds.add("167772161\t3232235777\t1024\t80\t6\t0".getBytes(UTF_8));
        for (Path file : shared("rules", "k.trace.gz")) {
            seeds.add(firstLines(file));
        }
        return seeds;
    }

    private static List<byte[]> transactions() throws IOException {
        List<Rule> rules = RuleFile.read(TestData.office("office.ovs"), null).rules();
        RuleChange first =
                RuleChange.begin(
                        "1", "h", 1, null, null, RuleChange.Kind.SNAPSHOT, "office", "drop");
        List<byte[]> messages = new ArrayList<>(RuleSetMessages.snapshot(first, rules));
        byte[] snapshot = framed(messages);
        RuleChange second =
                RuleChange.begin("2", "h", 2, 1L, 5L, RuleChange.Kind.DELTA, "office", "drop");
        messages.add(second.encode());
        messages.add(RuleChange.commit(second, 0).encode());
        return List.of(snapshot, framed(messages));
    }

    /** Messages, each behind its length. */
    private static byte[] framed(List<byte[]> messages) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] message : messages) {
            byte[] frame =
                    ByteBuffer.allocate(2 + message.length)
                            .putShort((short) message.length)
                            .put(message)
                            .array();
            out.writeBytes(frame);
        }
        return Arrays.copyOf(out.toByteArray(), out.size());
    }
}
