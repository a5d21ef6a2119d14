package dev.sluice.job.lab.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.Amount;
import dev.sluice.job.cli.Choice;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a benchmark of the engine alone found, as text or as one JSON object.
 *
 * @param ruleCount rules of the file
 * @param headers headers of the trace
 * @param flowCache entries of the flow cache in front, 0 for none; {@link
 *     EngineOptions#FLOW_CACHE_AUTO} for one that comes and goes
 * @param changed single-rule updates, if they were measured
 * @param beside look-ups beside updates, if they were measured
 * @param wrong wrong answers, if they were counted
 */
record EngineReport(
        Path rules,
        int ruleCount,
        EngineBench bench,
        int threads,
        int batch,
        int headers,
        int rounds,
        int flowCache,
        EngineBench.Result result,
        UpdateBench.@Nullable Result changed,
        UpdatesBeside.@Nullable Result beside,
        @Nullable Long wrong) {
    ObjectNode json() {
        ObjectNode node = new ObjectMapper().createObjectNode();
        node.put("rules", rules.toString());
        node.put("ruleCount", ruleCount);
        node.put("algorithm", result.algorithm().label());
        result.classified().describe(node);
        bench.deviceAlgorithm().ifPresent(there -> node.put("deviceAlgorithm", there.label()));
        node.put("threads", threads);
        node.put("batch", batch);
        node.put("headers", headers);
        node.put("mpps", result.mpps());
        node.put("mppsMin", result.mppsMin());
        node.put("mppsMax", result.mppsMax());
        node.put("buildSeconds", result.buildSeconds());
        node.put("imageBytes", result.imageBytes());
        node.put("wrong", wrong);
        node.put("explanation", bench.explanation());
        if (changed != null) {
            node.put("updates", Choice.label(changed.way()));
            node.put("updatesPerSecond", changed.perSecond());
            node.put("liveBytes", changed.bytes());
        }
        if (beside != null) {
            ObjectNode part = node.putObject("updatesBesideLookUps");
            part.put("share", beside.share());
            part.put("aloneMpps", beside.aloneMpps());
            part.put("mpps", beside.besideMpps());
            part.put("updatesPerSecond", beside.updatesPerSecond());
            part.put("price", beside.price());
            part.put("readersWaited", beside.readersWaited());
            part.put("writerWaited", beside.writerWaited());
            part.put("wrong", beside.wrong());
        }
        if (flowCache != 0) {
            node.put("cacheHitRate", bench.figures().flowCacheHitRate());
            node.put("cachesTurnedOn", bench.figures().flowCachesTurnedOn());
            node.put("cachesTurnedOff", bench.figures().flowCachesTurnedOff());
        }
        return node;
    }

    /** Which algorithm serves which back end. */
    private String algorithms() {
        String onCpu = result.algorithm().label();
        String there = bench.deviceAlgorithm().map(Algorithm::label).orElse("");
        if (there.isEmpty()) {
            return onCpu + " on the CPU";
        }
        return there
                + " on the GPU"
                + (there.equals(onCpu) ? "" : " beside " + onCpu + " on the CPU");
    }

    /**
     * Prints the text.
     *
     * @param explain whether to say why the algorithm was chosen, and what it tells of the rules
     */
    void print(PrintWriter out, boolean explain) {
        out.printf(
                "%s: %s, %s, %s, batches of %,d%n"
                        + "  %s: %.2f Mpps median, %.2f minimum, %.2f maximum of %s%n"
                        + "  build %.3f s, image %,d bytes%n",
                rules,
                Amount.of(ruleCount, "rule"),
                algorithms(),
                Amount.of(threads, "thread"),
                batch,
                Amount.of(headers, "header"),
                result.mpps(),
                result.mppsMin(),
                result.mppsMax(),
                Amount.of(rounds, "round"),
                result.buildSeconds(),
                result.imageBytes());
        if (changed != null) {
            out.printf(
                    "  %,.0f single-rule updates a second %s, %,d bytes afterwards%n",
                    changed.perSecond(),
                    changed.way() == UpdateBench.Way.IN_PLACE ? "in place" : "by versions",
                    changed.bytes());
        }
        if (beside != null) {
            out.printf(
                    "  beside updates at %s %% of the look-ups: %.2f Mpps, %,.0f updates a second; alone %.2f Mpps: %.0f %% less%n"
                            + "  look-ups waited for updates %.0f %% of the time, updates for look-ups %.0f %%; %,d wrong answers afterwards%n",
                    Double.toString(100 * beside.share()).replaceFirst("[.]0$", ""),
                    beside.besideMpps(),
                    beside.updatesPerSecond(),
                    beside.aloneMpps(),
                    100 * beside.price(),
                    100 * beside.readersWaited(),
                    100 * beside.writerWaited(),
                    beside.wrong());
        }
        if (explain) {
            out.println("  " + bench.explanation());
            bench.report().forEach(line -> out.println("  " + line));
        }
        if (bench.onDevice()) {
            out.println("  " + result.classified().line());
        }
        EngineFigures figures = bench.figures();
        if (flowCache > 0) {
            out.printf(
                    "  flow cache of %,d entries: %.1f %% of headers%n",
                    flowCache, 100 * figures.flowCacheHitRate());
        } else if (flowCache == EngineOptions.FLOW_CACHE_AUTO) {
            out.printf(
                    "  flow cache by itself: %.1f %% of headers, turned on %s, off %s%n",
                    100 * figures.flowCacheHitRate(),
                    Amount.of(figures.flowCachesTurnedOn(), "time"),
                    Amount.of(figures.flowCachesTurnedOff(), "time"));
        }
        if (wrong != null) {
            out.printf("  %,d wrong answers%n", wrong);
        }
    }
}
