package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.schemas.testing.TestData;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.reader.BulkFormat;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.local.LocalDataOutputStream;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Util;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of Parquet, against those of Avro of the same pieces. */
class ParquetVerdictsTest {
    @TempDir Path folder;

    private List<CaptureFile> captures = List.of();
    private ArchiveRules rules = new ArchiveRules(RuleSet.of("none", 1, RuleSet.DROP, List.of()));

    @BeforeEach
    void captures() throws IOException {
        Path made = folder.resolve("a-long.pcap");
        Files.write(made, MadeCaptures.pcap(20));
        captures =
                CaptureGlob.expand(
                        List.of(made.toString(), TestData.office("office.pcapng.gz").toString()));
        Path office = TestData.office("office.ovs");
        rules =
                new ArchiveRules(
                        RuleFile.read(office, null).toRuleSet(office.toString(), 1, RuleSet.DROP));
    }

    private List<String> names() {
        return captures.stream().map(CaptureFile::name).toList();
    }

    /** Writes the judged pieces of all captures. */
    private Path write(BulkWriter.Factory<CapturePiece> form, String name) throws IOException {
        Path file = folder.resolve(name);
        RuleSet set = rules.rules();
        SharedEngine engine =
                SharedEngine.acquire(rules, EngineOptions.DEFAULTS.withGpu(GpuPool.Selection.OFF));
        VerdictBatch verdicts = new VerdictBatch(CaptureHits.BATCH);
        try (FSDataOutputStream out = new LocalDataOutputStream(file.toFile())) {
            BulkWriter<CapturePiece> writer = form.create(out);
            CaptureFormat format =
                    new CaptureFormat(captures, set.layout(), ParserOptions.DEFAULTS, null, null);
            for (CaptureFile capture : captures) {
                long bytes = Files.size(Path.of(capture.name()));
                FileSourceSplit split =
                        new FileSourceSplit("0", capture.path(), 0, bytes, 0, bytes);
                try (BulkFormat.Reader<CapturePiece> reader =
                        format.createReader(new Configuration(), split)) {
                    BulkFormat.RecordIterator<CapturePiece> pieces = reader.readBatch();
                    while (pieces != null) {
                        CapturePiece piece = pieces.next().getRecord();
                        engine.classify(piece.packets().headers(), verdicts);
                        piece.judged(verdicts);
                        writer.addElement(piece);
                        writer.flush();
                        pieces.releaseBatch();
                        pieces = reader.readBatch();
                    }
                }
            }
            writer.finish();
        } finally {
            engine.close();
        }
        return file;
    }

    private List<GenericRecord> avro() throws IOException {
        List<GenericRecord> records = new ArrayList<>();
        Path file = write(new AvroVerdicts(names(), rules), "verdicts.avro");
        try (DataFileReader<GenericRecord> reader =
                new DataFileReader<>(file.toFile(), new GenericDatumReader<>())) {
            reader.forEach(records::add);
        }
        return records;
    }

    private Path parquet(int rowGroupBytes) throws IOException {
        return write(new ParquetVerdicts(names(), rules, rowGroupBytes), "verdicts.parquet");
    }

    private static FileMetaData footer(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int at = bytes.length - 8;
        int length = BytesUtils.readIntLittleEndian(ByteBuffer.wrap(bytes), at);
        return Util.readFileMetaData(new ByteArrayInputStream(bytes, at - length, length));
    }

    @Test
    void parquetsReaderFindsTheRecordsOfTheAvroFile() throws IOException {
        List<GenericRecord> expected = avro();
        assertEquals(MadeCaptures.LONG + 1057, expected.size());
        Path file = parquet(ParquetVerdicts.ROW_GROUP_BYTES);
        assertEquals(expected, ParquetRows.of(file));
        assertEquals(1, footer(file).getRow_groupsSize());
    }

    @Test
    void rulesOfEarlierStagesAreAColumnOfPoliciesThatHaveSome() throws IOException {
        for (String column : List.of("earlier", "outcome", "assumed")) {
            assertEquals(null, avro().get(0).getSchema().getField(column));
        }
        Path save = folder.resolve("host.save");
        Files.writeString(
                save,
                """
                *raw
                :PREROUTING ACCEPT [0:0]
                -A PREROUTING -p tcp --dport 1 -j DROP
                -A PREROUTING -p tcp -j ACCEPT
                COMMIT
                *filter
                :INPUT DROP [0:0]
                -A INPUT -p tcp --dport 443 -j ACCEPT
                COMMIT
                """);
        Assumptions assumed = new Assumptions(ConnectionState.NEW, null, null);
        PolicyOptions options = new PolicyOptions(null, assumed, false);
        rules = new ArchiveRules(PolicyFile.read(Path.of(save + "#INPUT"), options).flat().rules());
        List<GenericRecord> expected = avro();
        assertEquals(expected, ParquetRows.of(parquet(ParquetVerdicts.ROW_GROUP_BYTES)));
        Set<String> earlier = new TreeSet<>();
        expected.forEach(record -> earlier.add(record.get("rule") + "<" + record.get("earlier")));
        assertTrue(earlier.stream().anyMatch(row -> row.endsWith("<4")), earlier.toString());
        assertTrue(earlier.contains("null<null"), earlier.toString());
        Set<String> answers = new TreeSet<>();
        expected.forEach(
                record ->
                        answers.add(
                                "%s %s %s"
                                        .formatted(
                                                record.get("action"),
                                                record.get("outcome"),
                                                record.get("assumed"))));
        assertEquals(
                Set.of(
                        "ACCEPT permit --hook INPUT --assume new",
                        "DROP deny --hook INPUT --assume new",
                        "not-judged not-judged --hook INPUT --assume new",
                        "null null null"),
                answers);
    }

    @Test
    void aFileOfManyRowGroupsHoldsTheSame() throws IOException {
        List<GenericRecord> expected = avro();
        Path file = parquet(1);
        assertEquals(expected, ParquetRows.of(file));
        FileMetaData footer = footer(file);
        assertEquals(1 + expected.size() / 4096, footer.getRow_groupsSize());
        assertEquals(
                expected.size(),
                footer.getRow_groups().stream().mapToLong(RowGroup::getNum_rows).sum());
    }

    /** By these, engines leave out row groups that hold nothing of what they look for. */
    @Test
    void aRowGroupTellsTheLeastAndTheGreatestOfItsColumns() throws IOException {
        FileMetaData footer = footer(parquet(1));
        Statistics packets =
                footer.getRow_groups().get(1).getColumns().get(1).getMeta_data().getStatistics();
        assertEquals(4097, BytesUtils.bytesToLong(packets.getMin_value()));
        assertEquals(8192, BytesUtils.bytesToLong(packets.getMax_value()));
        Statistics reasons =
                footer.getRow_groups().get(1).getColumns().get(7).getMeta_data().getStatistics();
        assertTrue(reasons.getNull_count() > 4000, reasons.toString());
        assertEquals("truncated", new String(reasons.getMax_value()));
    }

    @Test
    void aFileWithoutPacketsIsOneOfNoRows() throws IOException {
        captures = List.of();
        assertEquals(List.of(), ParquetRows.of(parquet(ParquetVerdicts.ROW_GROUP_BYTES)));
    }
}
