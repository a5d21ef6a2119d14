package dev.sluice.job.archive;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.ParserOptions;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the job of an archive does.
 *
 * @param captures what is judged
 * @param rules by which
 * @param parsing what is taken for the header of a packet
 * @param inPort ingress port of all packets, or null where it is not known
 * @param engine how rules are looked up
 * @param verdicts the folder that takes the verdicts, as Flink's paths are written
 * @param form of the verdicts' files
 * @param checkpointInterval how often files are ended and become visible
 */
public record ArchiveOptions(
        List<CaptureFile> captures,
        RuleSet rules,
        ParserOptions parsing,
        @Nullable Integer inPort,
        EngineOptions engine,
        String verdicts,
        Form form,
        Duration checkpointInterval) {
    /** Forms of files of verdicts. */
    public enum Form {
        /** The lines of {@code classify}. */
        TSV,
        /** Avro's files of records, of the schema {@code PacketVerdict}. */
        AVRO,
        /** Parquet's files, of the same rows and columns. */
        PARQUET
    }

    /** Names of the captures, in the order in which pieces number them. */
    List<String> names() {
        return captures.stream().map(CaptureFile::name).toList();
    }
}
