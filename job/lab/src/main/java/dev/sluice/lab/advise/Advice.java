package dev.sluice.lab.advise;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.ShellWord;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.lab.bench.EngineBench;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

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
        return result.rates().max() / result.rates().min();
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

    /** Returns the record of what was measured, and of the advice. */
    ObjectNode record() {
        ObjectNode node = JsonOption.object();
        node.put("rules", rules.toString());
        node.put("ruleCount", ruleCount);
        node.putObject("traffic")
                .put("source", traffic.source())
                .put("headers", traffic.trace().size())
                .put("description", traffic.description())
                .put("remark", traffic.remark());
        node.put("algorithm", core.algorithm().label());
        node.put("explanation", explanation);
        node.put("buildSeconds", core.buildSeconds());
        node.put("imageBytes", core.imageBytes());
        node.put("cores", cores);
        core.rates().describe(node, "coreMpps");
        all.rates().describe(node, "allCoresMpps");
        node.put("disturbed", disturbed());
        device.put(node.putObject("device"));
        JobEstimate estimate = estimate();
        EngineBench.Result together = device.result();
        node.putObject("job")
                .put("lookUpNanos", estimate.lookUpNanos())
                .put("plumbingNanos", JobEstimate.plumbingNanos())
                .put("plumbingFrom", JobEstimate.SOURCE + ", not measured here")
                .put("mpps", estimate.mpps())
                .put("mppsWithDevice", together == null ? null : estimate(together).mpps())
                .put("mostMppsWithDevice", estimate.mostMpps());
        node.put("devicePays", devicePays());
        node.put("fromHeadersPerSecondAndSubtask", device.fromBatch() > 0 ? fromRate() : null);
        ArrayNode set = node.putArray("set");
        settings().forEach(set::add);
        node.put("advice", verdict(estimate));
        node.put(
                "command",
                settings().stream()
                        .map(ShellWord::of)
                        .collect(
                                Collectors.joining(
                                        " ", "./sluice run --bootstrap HOST:PORT ", "")));
        return node;
    }

    /** Says whether a device pays. */
    private String verdict(JobEstimate estimate) {
        EngineBench.Result together = device.result();
        if (device.crossover() == null) {
            return "a GPU %s: %s"
                    .formatted(
                            estimate.gain() >= WORTH ? "may pay" : "would not pay in a job",
                            atMost(estimate));
        }
        if (together == null) {
            return "a GPU does not pay in a job here: one core is faster at every batch size, the way to the device included";
        }
        if (devicePays()) {
            return "a GPU pays: with this one a job carries some %.1f M headers/s, %.0f %% more; from %,.0f headers/s a subtask on, a batch of %,d is full within --max-delay %d µs"
                    .formatted(
                            estimate(together).mpps(),
                            100 * gain(together),
                            fromRate(),
                            device.fromBatch(),
                            MAX_DELAY_MICROS);
        }
        return together.mpps() <= all.mpps()
                ? "a GPU does not pay in a job here: cores and device together look up %.1f M headers/s, the cores alone %.1f"
                        .formatted(together.mpps(), all.mpps())
                : "a GPU does not pay in a job here: with this one it carries %.0f %% more; %s"
                        .formatted(100 * gain(together), atMost(estimate));
    }

    private static String atMost(JobEstimate estimate) {
        return "a device that takes all look-ups from the cores raises that by %.0f %% at most"
                .formatted(100 * estimate.gain());
    }
}
