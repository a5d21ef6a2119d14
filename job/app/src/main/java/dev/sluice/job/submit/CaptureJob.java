package dev.sluice.job.submit;

import dev.sluice.job.archive.ArchiveFiles;
import dev.sluice.job.archive.ArchiveJob;
import dev.sluice.job.archive.ArchiveOptions;
import dev.sluice.job.capture.ShutTunnels;
import dev.sluice.job.cluster.SubmittedOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.SavedJob;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The job on captures, which writes files of verdicts and needs no Kafka.
 *
 * @param folder of the verdicts, as it was given
 */
public record CaptureJob(ArchiveOptions options, String folder, String name, SubmittedOptions given)
        implements Job {
    /**
     * A job.
     *
     * @param words options of the command line, as they were given
     */
    public CaptureJob(ArchiveOptions options, String folder, String name, List<String> words) {
        this(options, folder, name, new SubmittedOptions(words, "", ""));
    }

    @Override
    public void build(StreamExecutionEnvironment env) {
        ArchiveJob.build(env, options);
    }

    @Override
    public void requireGoesOn(SavedJob saved, JobGraph graph) {
        ArchiveJob.requireGoesOn(saved, graph, options);
    }

    @Override
    public boolean bounded() {
        return true;
    }

    @Override
    public String end() {
        return "it ends with the last capture";
    }

    @Override
    public String next(String without) {
        return "the same command begins anew, with a new folder for --verdicts";
    }

    @Override
    public List<Path> written() {
        return ArchiveFiles.here(options.verdicts()).stream().toList();
    }

    @Override
    public ArchiveFiles.Held hold() throws IOException {
        return ArchiveFiles.hold("--verdicts " + folder, options.verdicts());
    }

    @Override
    public boolean report(LocalFlink ended, JobConsole console) {
        List<String> defects = ArchiveJob.defects(ended);
        defects.forEach(console::say);
        Map<String, Long> shut = ArchiveJob.shutTunnels(ended);
        if (!shut.isEmpty()) {
            console.say(ShutTunnels.describe(shut));
        }
        console.say("verdicts are in " + folder);
        return defects.isEmpty();
    }
}
