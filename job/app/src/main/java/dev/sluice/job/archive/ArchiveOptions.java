package dev.sluice.job.archive;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.hits.CapturedFacts;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of an archive's job.
 *
 * @param captures the captures to classify
 * @param rules rules of the classification
 * @param parsing which header of a packet is classified
 * @param inPort ingress port of all packets; null: unknown
 * @param facts what captures tell beside headers; null: nothing
 * @param engine how rules are looked up
 * @param verdicts folder of the verdicts, in the form of Flink's paths
 * @param form of the verdicts' files
 * @param checkpointInterval interval at which files are completed and become visible
 */
public record ArchiveOptions(
        List<CaptureFile> captures,
        RuleSet rules,
        ParserOptions parsing,
        @Nullable Integer inPort,
        @Nullable CapturedFacts facts,
        EngineOptions engine,
        String verdicts,
        Form form,
        Duration checkpointInterval) {
    /** Form of the files of verdicts. */
    public enum Form {
        /** Lines as {@code classify} writes them. */
        TSV,
        /** Avro container files of the schema {@code PacketVerdict}. */
        AVRO,
        /** Parquet files of the same rows and columns. */
        PARQUET
    }

    /** Returns the names of the captures, in the order of their indexes in pieces. */
    List<String> names() {
        return captures.stream().map(CaptureFile::name).toList();
    }
}
