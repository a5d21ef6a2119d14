package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.codec.MessageSchemas;
import dev.sluice.schemas.testing.Verdicts;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemasCommandTest {
    @TempDir Path folder;

    @Test
    void eachVersionOfEachSchemaIsListedAndOneOfEachIsCurrent() {
        Sluice run = Sluice.run("schemas");
        assertEquals(0, run.status(), run.err());
        List<String> lines = run.out().lines().toList();
        assertEquals("fingerprint\tschema\tversion\tcurrent", lines.get(0));
        for (String name : MessageSchemas.NAMES) {
            List<String> ofName =
                    lines.stream().filter(l -> l.contains("\t" + name + "\t")).toList();
            assertEquals(MessageSchemas.history(name).size(), ofName.size(), name);
            assertEquals(
                    "%016x\t%s\t%d\tyes"
                            .formatted(
                                    MessageSchemas.fingerprint(MessageSchemas.current(name)),
                                    name,
                                    ofName.size()),
                    ofName.get(ofName.size() - 1));
        }
    }

    /** As a reader of another language does: by the fingerprint in the message. */
    @Test
    void aMessageIsReadWithTheFileThatItsFingerprintNames() throws Exception {
        Path out = folder.resolve("new/schemas");
        assertEquals(0, Sluice.run("schemas", "--out", out).status());
        try (Stream<Path> files = Files.list(out)) {
            assertEquals(Sluice.run("schemas").out().lines().count() - 1, files.count(), "files");
        }
        byte[] message = Verdicts.of("c", 0, 7, 8, 9L, 1, 2, "drop", 3).encode();
        ByteBuffer head = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals((byte) 0xc3, head.get());
        assertEquals((byte) 0x01, head.get());
        Path file = out.resolve("%016x.avsc".formatted(head.getLong()));
        Schema schema = new Schema.Parser().parse(file.toFile());
        GenericRecord record =
                new GenericDatumReader<GenericRecord>(schema)
                        .read(
                                null,
                                DecoderFactory.get()
                                        .binaryDecoder(message, 10, message.length - 10, null));
        assertEquals(7L, record.get("packet"));
        assertEquals("OK", record.get("status").toString());
        assertTrue(Files.readString(file).contains("\"doc\""), "the schema lost its texts");
    }

    @Test
    void aFolderThatCannotBeWrittenIsNamed() throws Exception {
        Path taken = Files.createFile(folder.resolve("file"));
        Sluice run = Sluice.run("schemas", "--out", taken.resolve("below"));
        assertEquals(1, run.status());
        assertTrue(run.err().contains(taken + " is a file; name another folder"), run.err());
        assertEquals("", run.out());
        assertEquals(1, run.err().lines().count(), run.err());
    }
}
