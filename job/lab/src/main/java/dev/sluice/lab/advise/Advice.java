package dev.sluice.lab.advise;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.ShellWord;
import dev.sluice.lab.bench.EngineBench;
import dev.sluice.policy.io.Amount;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Results of the measurements, and the advice that follows.
 *
 * @param rules the rule file
 * @param ruleCount rules in it
 * @param traffic what was looked up
 * @param explanation why the algorithm was chosen
 * @param core look-ups on one core
 * @param all look-ups on all cores
 * @param cores how many these are
 * @param device what is known of the device
 * @param given options of the engine that were given here, and go into what to set
 */
record Advice(
        Path rules,
        int ruleCount,
        Traffic traffic,
        String explanation,
        EngineBench.Result core,
        EngineBench.Result all,
        int cores,
        DeviceAdvice device,
        List<String> given) {
    /** Default batch size of {@code run}: BatchOptions. */
    private static final int BATCH_SIZE = 8192;

    private static final int MAX_DELAY_MICROS = 2000;

    /** A device that raises what the job carries by less is not worth its price and its power. */
    private static final double WORTH = 0.1;

    /** Between the fastest and the slowest round of a machine that does nothing else. */
    private static final double CALM = 1.5;

    /** Estimates the throughput of a job whose look-ups run on the cores alone. */
    private JobEstimate estimate() {
        return estimate(all);
    }

    /** Estimates the throughput of a job from a rate of look-ups with all cores at work. */
    private JobEstimate estimate(EngineBench.Result lookUps) {
        return new JobEstimate(cores, cores * 1e3 / lookUps.mpps());
    }

    /** Tells whether the rounds differ so much that other work must have taken cores. */
    boolean disturbed() {
        EngineBench.Result together = device.result();
        return spread(core) > CALM
                || spread(all) > CALM
                || all.mpps() < core.mpps()
                || together != null && spread(together) > CALM;
    }

    private static double spread(EngineBench.Result result) {
        return result.mppsMax() / result.mppsMin();
    }

    /**
     * Tells whether a device exists, serves these rules, and would speed up a job noticeably. It
     * compares the look-ups of cores and device together with those of the cores alone.
     */
    boolean devicePays() {
        EngineBench.Result together = device.result();
        return together != null && gain(together) >= WORTH;
    }

    /** By what share a job carries more with the device; below 0: it carries less. */
    private double gain(EngineBench.Result together) {
        return estimate(together).mpps() / estimate().mpps() - 1;
    }

    /** Headers a second of one subtask from which its batches are large enough for the device. */
    private double fromRate() {
        return device.fromBatch() * 1e6 / MAX_DELAY_MICROS;
    }

    /** The words of the run command. */
    List<String> settings() {
        List<String> words = new ArrayList<>(given);
        words.add("--parallelism");
        words.add(String.valueOf(cores));
        if (devicePays()) {
            words.add("--gpu");
            words.add(String.valueOf(device.number()));
            if (device.fromBatch() > BATCH_SIZE) {
                words.add("--batch-size");
                words.add(String.valueOf(device.fromBatch()));
            }
        } else {
            words.add("--gpu");
            words.add("off");
        }
        return words;
    }

    ObjectNode json() {
        ObjectNode node = new ObjectMapper().createObjectNode();
        node.put("rules", rules.toString());
        node.put("ruleCount", ruleCount);
        ObjectNode looked = node.putObject("traffic");
        looked.put("source", traffic.source());
        looked.put("headers", traffic.trace().size());
        node.put("algorithm", core.algorithm().label());
        node.put("explanation", explanation);
        node.put("buildSeconds", core.buildSeconds());
        node.put("imageBytes", core.imageBytes());
        node.put("cores", cores);
        node.put("coreMpps", core.mpps());
        node.put("coreMppsMin", core.mppsMin());
        node.put("coreMppsMax", core.mppsMax());
        node.put("allCoresMpps", all.mpps());
        node.put("allCoresMppsMin", all.mppsMin());
        node.put("allCoresMppsMax", all.mppsMax());
        node.put("disturbed", disturbed());
        device.put(node.putObject("device"));
        ObjectNode job = node.putObject("job");
        JobEstimate estimate = estimate();
        job.put("lookUpNanos", estimate.lookUpNanos());
        job.put("plumbingNanos", JobEstimate.plumbingNanos());
        job.put("plumbingFrom", JobEstimate.SOURCE);
        job.put("mpps", estimate.mpps());
        EngineBench.Result together = device.result();
        job.put("mppsWithDevice", together == null ? null : estimate(together).mpps());
        job.put("mostMppsWithDevice", estimate.mostMpps());
        node.put("devicePays", devicePays());
        node.put("fromHeadersPerSecondAndSubtask", device.fromBatch() > 0 ? fromRate() : null);
        node.putPOJO("set", settings());
        return node;
    }

    void print(PrintWriter out) {
        out.printf("%s: %s%n", rules, Amount.of(ruleCount, "rule"));
        out.printf("  traffic      %s%n", traffic.description());
        if (!traffic.remark().isEmpty()) {
            out.printf("               %s%n", traffic.remark());
        }
        out.printf("  algorithm    %s%n", explanation);
        out.printf("  build        %.3f s%n", core.buildSeconds());
        out.printf(
                "  memory       %,d bytes that look-ups read; twice that for a moment when much has changed%n",
                core.imageBytes());
        out.printf(
                "  one core     %.2f M headers/s (%.2f to %.2f), %.0f ns a header%n",
                core.mpps(), core.mppsMin(), core.mppsMax(), 1e3 / core.mpps());
        out.printf(
                "  %-12s %.2f M headers/s (%.2f to %.2f)%n",
                Amount.of(cores, "core"), all.mpps(), all.mppsMin(), all.mppsMax());
        if (disturbed()) {
            out.println(
                    "               rounds differ so much that other work shares these cores: look again when it rests, or with more --seconds");
        }
        device.print(out);
        JobEstimate estimate = estimate();
        out.printf(
                "  a job        some %.1f M headers/s on %s that it shares with its broker: an estimate from a look-up of %.0f ns,%n"
                        + "               measured here, and %.0f ns for Kafka, Flink and the verdicts, taken from %s, not measured here;%n"
                        + "               './sluice bench corridor --rules %s --trace FILE' measures the whole%n",
                estimate.mpps(),
                Amount.of(cores, "core"),
                estimate.lookUpNanos(),
                JobEstimate.plumbingNanos(),
                JobEstimate.SOURCE,
                ShellWord.of(rules));
        printVerdict(out, estimate);
        out.printf("  set          ./sluice run --bootstrap HOST:PORT%s%n", words());
        out.println(
                "               all else as it is: the engine chooses the algorithm again where it runs, and a flow cache where headers repeat");
        out.flush();
    }

    private void printVerdict(PrintWriter out, JobEstimate estimate) {
        EngineBench.Result together = device.result();
        if (device.crossover() == null) {
            out.printf(
                    "  a GPU        %s: %s%n",
                    estimate.gain() >= WORTH ? "may pay" : "would not pay in a job",
                    atMost(estimate));
        } else if (together == null) {
            out.println(
                    "  a GPU        does not pay in a job here: one core is faster at every batch size, the way to the device included");
        } else if (devicePays()) {
            out.printf(
                    "  a GPU        pays: with this one a job carries some %.1f M headers/s, %.0f %% more; from %,.0f headers/s a subtask on, a batch of %,d is full within --max-delay %d µs%n",
                    estimate(together).mpps(),
                    100 * gain(together),
                    fromRate(),
                    device.fromBatch(),
                    MAX_DELAY_MICROS);
        } else if (together.mpps() <= all.mpps()) {
            out.printf(
                    "  a GPU        does not pay in a job here: cores and device together look up %.1f M headers/s, the cores alone %.1f%n",
                    together.mpps(), all.mpps());
        } else {
            out.printf(
                    "  a GPU        does not pay in a job here: with this one it carries %.0f %% more; %s%n",
                    100 * gain(together), atMost(estimate));
        }
    }

    private static String atMost(JobEstimate estimate) {
        return "a device that takes all look-ups from the cores raises that by %.0f %% at most"
                .formatted(100 * estimate.gain());
    }

    private String words() {
        StringBuilder line = new StringBuilder();
        settings().forEach(word -> line.append(' ').append(ShellWord.of(word)));
        return line.toString();
    }
}
