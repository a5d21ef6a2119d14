package dev.sluice.job.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files of rows of connections, and notes in lines of verdicts, through the command line. */
class ConnectionFileTest {
    private static final Path OFFICE = TestData.office("office.pcapng.gz");

    @TempDir Path folder;

    private static Sluice run(Object... options) {
        List<Object> words = new ArrayList<>(List.of("classify", OFFICE));
        words.addAll(List.of("--rules", TestData.office("office.save") + "#FORWARD"));
        words.addAll(Arrays.asList(options));
        return Sluice.run(words.toArray());
    }

    private Path rows(String name) {
        Path file = folder.resolve(name);
        Sluice run = Sluice.ok(run("--conntrack", "linux", "--summary", "--connections", file));
        assertTrue(run.out().contains("663 first packets refused of 9 connections"), run.out());
        assertTrue(run.err().contains("sluice: connections are in " + file), run.err());
        return file;
    }

    @Test
    void eachFormHasTheSameRows() throws IOException {
        List<String> objects = Files.readAllLines(rows("rows.json"));
        assertEquals(27 + 9, objects.size());
        JsonPage.assertTells("classify --connections", String.join("\n", objects), "interface");
        List<String> fromJson = new ArrayList<>();
        for (String object : objects) {
            JsonNode row = new ObjectMapper().readTree(object);
            fromJson.add(
                    String.join(
                            "\t",
                            text(row, "capture"),
                            text(row, "interface"),
                            text(row, "ipSrc"),
                            text(row, "srcPort"),
                            text(row, "ipDst"),
                            text(row, "dstPort"),
                            text(row, "ipProto"),
                            text(row, "icmpId"),
                            text(row, "firstNs"),
                            text(row, "lastNs"),
                            text(row, "packets"),
                            text(row, "bytes"),
                            text(row, "replyPackets"),
                            text(row, "replyBytes"),
                            text(row, "state"),
                            text(row, "end"),
                            text(row, "outcome"),
                            text(row, "line"),
                            text(row, "action"),
                            text(row, "version"),
                            text(row, "text"),
                            text(row, "refusedPacket")));
        }
        List<String> lines = Files.readAllLines(rows("rows.tsv"));
        assertEquals(sorted(fromJson), sorted(lines.subList(1, lines.size())));
        List<String> fromAvro = new ArrayList<>();
        try (DataFileReader<GenericRecord> reader =
                new DataFileReader<>(
                        rows("rows.avro").toFile(), new GenericDatumReader<GenericRecord>())) {
            reader.forEach(record -> fromAvro.add(ConnectionForm.line(Connection.of(record))));
        }
        assertEquals(sorted(fromJson), sorted(fromAvro));
    }

    private static List<String> sorted(List<String> rows) {
        return rows.stream().sorted().toList();
    }

    private static String text(JsonNode row, String member) {
        return row.path(member).asText();
    }

    @Test
    void rowsAndNotesChangeNoVerdict() throws IOException {
        Path plain = folder.resolve("plain.tsv");
        Path kept = folder.resolve("kept.tsv");
        Path noted = folder.resolve("noted.tsv");
        Sluice.ok(run("--conntrack", "linux", "--verdicts", plain));
        Path rows = folder.resolve("rows.tsv");
        Sluice.ok(run("--conntrack", "linux", "--verdicts", kept, "--connections", rows));
        Sluice.ok(run("--conntrack", "linux", "--verdicts", noted, "--conntrack-notes"));
        assertEquals(-1, Files.mismatch(plain, kept));
        List<String> lines = Files.readAllLines(noted);
        assertEquals(
                Files.readAllLines(plain),
                lines.stream().map(line -> line.substring(0, line.lastIndexOf('\t'))).toList());
        assertTrue(lines.get(0).endsWith("\tstate\tnote"), lines.get(0));
        List<String> refused =
                Files.readAllLines(rows).stream()
                        .filter(row -> row.contains("\trefused\t"))
                        .map(row -> row.substring(row.lastIndexOf('\t') + 1))
                        .toList();
        for (String number : refused) {
            String line = lines.get(Integer.parseInt(number));
            assertTrue(line.contains("\tdeny\t"), line);
            assertTrue(line.endsWith("\tconnection refused at packet " + number), line);
        }
        assertEquals(9, refused.size());
    }

    @Test
    void aPolicyWithoutStatesHasRowsAndTheVerdictsOfBefore() throws IOException {
        Path rules = folder.resolve("web.save");
        Files.writeString(
                rules,
                "*filter\n:FORWARD DROP [0:0]\n-A FORWARD -p tcp --dport 80 -j ACCEPT\nCOMMIT\n");
        Path rows = folder.resolve("rows.tsv");
        String[] of = {"classify", OFFICE.toString(), "--rules", rules.toString(), "--conntrack"};
        String plain = Sluice.ok(of[0], of[1], of[2], of[3], of[4], "linux").out();
        assertEquals(
                plain,
                Sluice.ok(of[0], of[1], of[2], of[3], of[4], "linux", "--connections", rows).out());
        assertTrue(Files.readAllLines(rows).size() > 20);
        assertFalse(plain.contains("\tstate\n"));
    }

    @ParameterizedTest
    @CsvSource({
        "--connections rows.tsv, add --conntrack linux",
        "--conntrack linux --connections rows.txt, end it in .tsv",
        "--conntrack linux --connections -, write ./-",
        "--conntrack linux --connections-format json, add --connections OUT",
        "--conntrack linux --connections v.tsv --verdicts v.tsv, name another file",
        "--conntrack linux --conntrack-notes --summary, or add --verdicts OUT.tsv",
        "--conntrack linux --conntrack-strict --conntrack-picked-up depends, leave one of them out",
        "--conntrack-picked-up new, add --conntrack linux",
    })
    void optionsThatSayNothingTogetherAreRefused(String words, String remedy) {
        Sluice run = run((Object[]) words.split(" "));
        assertEquals(2, run.status(), run.err());
        assertTrue(run.err().contains(remedy), run.err());
    }
}
