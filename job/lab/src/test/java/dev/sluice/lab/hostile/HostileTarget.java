package dev.sluice.lab.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.HeaderDepth;
import dev.sluice.job.capture.HeaderTable;
import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.TagDepth;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.operators.rules.topic.TopicFollower;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleStatistics;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A reader of bytes of strangers. It is given any input: it throws only where a reader breaks its
 * promise, which is an answer or an exception that names the defect.
 */
enum HostileTarget {
    /** A link type in the first two bytes, a packet in the others. */
    HEADERS {
        @Override
        boolean read(byte[] input) {
            if (input.length < 2) {
                return false;
            }
            boolean classified = true;
            for (HeaderDepth headers : HeaderDepth.values()) {
                for (TagDepth tags : TagDepth.values()) {
                    classified &= read(input, new PacketParser(new ParserOptions(headers, tags)));
                }
            }
            return classified;
        }

        private boolean read(byte[] input, PacketParser parser) {
            int linkType = ByteBuffer.wrap(input).getShort() & 0xffff;
            ParsedPacket packet = new ParsedPacket();
            parser.parse(input, 2, input.length - 2, input.length - 2, linkType, packet);
            assertNotNull(packet.status());
            // What lies behind the captured bytes is of other packets, and must not matter.
            int captured = Math.min(input.length - 2, 40);
            ParsedPacket cut = new ParsedPacket();
            parser.parse(input, 2, captured, input.length - 2, linkType, cut);
            ParsedPacket alone = new ParsedPacket();
            parser.parse(
                    Arrays.copyOfRange(input, 2, 2 + captured),
                    0,
                    captured,
                    input.length - 2,
                    linkType,
                    alone);
            assertEquals(alone.status(), cut.status());
            return packet.status().isClassified();
        }
    },
    /** A capture file. */
    CAPTURE {
        @Override
        boolean read(byte[] input) throws IOException {
            PacketParser parser = new PacketParser();
            ParsedPacket packet = new ParsedPacket();
            try (CaptureReader reader = Captures.open(new ByteArrayInputStream(input))) {
                for (int packets = 0; packets < MOST_PACKETS && reader.next(); packets++) {
                    parser.parse(reader, packet);
                    HeaderTable.append(new StringBuilder(), reader, packet);
                }
                return !reader.next() && reader.end().isClean();
            }
        }
    },
    /** A message of any topic but the rules topic. */
    MESSAGE {
        @Override
        boolean read(byte[] input) {
            return isWellFormed(() -> block(PacketMessages.decode(input, SHARDS)))
                    | isWellFormed(() -> VerdictBlock.decode(input))
                    | isWellFormed(() -> Verdict.decode(input))
                    | isWellFormed(() -> DeadLetter.decode(input))
                    | isWellFormed(() -> RuleStatistics.decode(input))
                    | isWellFormed(() -> Connection.decode(input));
        }

        private void block(PacketBlock block) throws MalformedMessageException {
            HeaderBatch batch = new HeaderBatch(HeaderLayout.of(HeaderWord.PORTS), block.count());
            block.appendTo(batch, 0, block.count());
            assertEquals(block.count(), batch.size());
            PacketBlock again = PacketMessages.decode(block.encode(), SHARDS);
            assertEquals(block.count(), again.count());
            HeaderBatch same = new HeaderBatch(HeaderLayout.of(HeaderWord.PORTS), block.count());
            again.appendTo(same, 0, again.count());
            for (int i = 0; i < block.count(); i++) {
                assertEquals(batch.word(0, i), same.word(0, i), "ports of header " + i);
            }
        }
    },
    /** A rule file of a format that is detected. */
    RULES {
        @Override
        boolean read(byte[] input) throws IOException {
            return asFile(
                    input,
                    file -> {
                        RuleFile rules = RuleFile.read(file, null);
                        RuleSet set = rules.toRuleSet("hostile", 1, "drop");
                        assertTrue(set.size() <= rules.rules().size());
                    });
        }
    },
    /** A policy of chains, read strictly and with rules skipped. */
    POLICY {
        @Override
        boolean read(byte[] input) throws IOException {
            return judges(input, "INPUT", false) & judges(input, "INPUT", true);
        }
    },
    /** Objects of a cluster, or a device's configuration, strictly and with policies skipped. */
    CLUSTER {
        @Override
        boolean read(byte[] input) throws IOException {
            return judges(input, null, false) & judges(input, null, true);
        }
    },
    /** Configurations of routers and firewalls, read strictly and with entries skipped. */
    LISTS {
        @Override
        boolean read(byte[] input) throws IOException {
            return judges(input, null, false) & judges(input, null, true);
        }
    },
    /** Messages of the rules topic, each behind its length in two bytes. */
    TRANSACTIONS {
        @Override
        boolean read(byte[] input) {
            boolean wellFormed = true;
            TopicFollower follower = new TopicFollower();
            ByteBuffer in = ByteBuffer.wrap(input);
            while (in.remaining() > 2) {
                byte[] message = new byte[Math.min(in.getShort() & 0xffff, in.remaining())];
                in.get(message);
                wellFormed &= isWellFormed(() -> follower.accept(message, RuleTransaction.NO_TIME));
            }
            // Whatever a topic holds, a whole snapshot of a new history is taken.
            RuleChange begin =
                    RuleChange.begin(
                            "the last one",
                            "another history",
                            1,
                            null,
                            null,
                            RuleChange.Kind.SNAPSHOT,
                            "good",
                            "drop");
            for (byte[] message : RuleSetMessages.snapshot(begin, List.of())) {
                // Its BEGIN may be told that the one before it was left unfinished, and is taken.
                isWellFormed(() -> follower.accept(message, RuleTransaction.NO_TIME));
            }
            assertEquals("another history", follower.book().history());
            assertEquals(1, follower.book().version());
            return wellFormed;
        }
    },
    /** A trace of headers. */
    TRACE {
        @Override
        boolean read(byte[] input) throws IOException {
            return asFile(input, file -> assertTrue(HeaderTrace.read(file).size() > 0));
        }
    };

    private static final Path KEPT = Path.of("src/test/resources/dev/sluice/lab/hostile/inputs");

    private static final int MOST_PACKETS = 100_000;
    private static final int SHARDS = 8;

    /** Reads an input; returns whether the reader took all of it, and refused nothing. */
    abstract boolean read(byte[] input) throws Exception;

    /** Finds the target of a label. */
    static HostileTarget ofLabel(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT));
    }

    /** Returns its name on the command line and in folders of inputs. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the folder of inputs that once made it fail, and must not again. */
    Path keptFolder() {
        return KEPT.resolve(label());
    }

    /** Lists those inputs. */
    List<Path> kept() throws IOException {
        if (!Files.isDirectory(keptFolder())) {
            return List.of(); // nothing ever did
        }
        try (Stream<Path> files = Files.list(keptFolder())) {
            return files.sorted().toList();
        }
    }

    private interface Decoding {
        void run() throws MalformedMessageException;
    }

    /** Tells whether a message is well-formed; one that is not deserves a reason. */
    private static boolean isWellFormed(Decoding decoding) {
        try {
            decoding.run();
            return true;
        } catch (MalformedMessageException e) {
            assertTrue(e.reason().length() > 3, "no reason");
            return false;
        }
    }

    private interface Reading {
        void read(Path file);
    }

    /** Tells whether a file is read; one that is malformed deserves a failure with its name. */
    private static boolean asFile(byte[] input, Reading reading) throws IOException {
        Path file = FILE.get();
        Files.write(file, input);
        try {
            reading.read(file);
            return true;
        } catch (SluiceException e) {
            assertTrue(
                    String.valueOf(e.getMessage()).contains(file.getFileName().toString()),
                    () -> "the file is not named: " + e.getMessage());
            assertTrue(
                    String.valueOf(e.getMessage()).length() < 20_000,
                    () -> "a message of " + e.getMessage().length() + " characters");
            return false;
        }
    }

    /** Tells whether a file is a policy, or refused by its name. */
    private static boolean judges(byte[] input, @Nullable String hook, boolean skip)
            throws IOException {
        PolicyOptions options = new PolicyOptions(hook, Assumptions.NONE, skip);
        return asFile(
                input,
                file -> {
                    PolicyFile policy = PolicyFile.read(file, options);
                    policy.flat().judge(new int[HeaderWord.COUNT]);
                    assertTrue(policy.rules().size() > 0);
                });
    }

    /** A file of each thread, written anew for every input. */
    private static final ThreadLocal<Path> FILE =
            ThreadLocal.withInitial(
                    () -> {
                        try {
                            Path file = Files.createTempFile("hostile", ".txt");
                            file.toFile().deleteOnExit();
                            return file;
                        } catch (IOException e) {
                            throw new java.io.UncheckedIOException(e);
                        }
                    });
}
