package dev.sluice.job.lab.corridor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.lab.backend.Classified;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a benchmark of the whole corridor found, as text, JSON and CSV.
 *
 * @param producedPerSecond rate at which the blocks were written to Kafka beforehand
 * @param heats of the job, and of those that were compared with it
 * @param delays of verdicts at set rates
 * @param changes the job with rules that change and without; null: they never did
 * @param loss of a device during the job's run; null: none
 * @param sustained what became of packets that were loaded for long; null: none were
 */
public record CorridorReport(
        CorridorBench.Plan plan,
        double producedPerSecond,
        List<Heat> heats,
        List<Delay> delays,
        @Nullable ChangeTurns changes,
        @Nullable DeviceLoss loss,
        @Nullable Delay sustained) {
    /** Name of the file with the figures of each second. */
    static final String SECONDS = "corridor-seconds.csv";

    private static final double MILLION = 1e6;

    /** Who classified the packets of the job; null where that is not known. */
    public @Nullable Classified classified() {
        return heats.get(0).classified();
    }

    /** Adds what was found to an object that says what was run; the job's own figures on top. */
    public ObjectNode json(ObjectNode node) {
        node.put("partitions", plan.partitions());
        node.put("checkpointMillis", plan.checkpoints().toMillis());
        node.put("compression", plan.compression().name);
        node.put("verdictColumns", plan.columns().name().toLowerCase(Locale.ROOT));
        node.put("producedMpps", producedPerSecond / MILLION);
        figures(node, heats.get(0));
        if (heats.size() > 1) {
            ArrayNode others = node.putArray("beside");
            for (Heat heat : heats.subList(1, heats.size())) {
                figures(others.addObject().put("name", heat.name()), heat);
            }
            ObjectNode ratios = node.putObject("timesTheRateOf");
            for (Heat heat : heats.subList(1, heats.size())) {
                ratios.put(heat.name(), heats.get(0).steadyRate() / heat.steadyRate());
            }
        }
        if (!delays.isEmpty()) {
            ArrayNode all = node.putArray("delays");
            delays.forEach(delay -> delay.describe(all.addObject()));
        }
        if (changes != null) {
            changes.describe(node.putObject("changes"));
        }
        if (loss != null) {
            loss.describe(node.putObject("lostDevice"));
        }
        if (sustained != null) {
            ObjectNode object = node.putObject("sustained").put("seconds", plan.sustainSeconds());
            sustained.describe(object);
            ArrayNode seconds = object.putArray("headersBySecond");
            sustained.windows().seconds().forEach(seconds::add);
        }
        return node;
    }

    private static void figures(ObjectNode node, Heat heat) {
        node.put("headers", heat.headers());
        if (heat.classified() != null) {
            heat.classified().describe(node);
        }
        node.put("mpps", heat.overall() / MILLION);
        heat.describeRates(node);
        node.put("firstVerdictSeconds", heat.windows().firstSeconds());
        node.put("fullRateSeconds", heat.fullRateSeconds());
        node.put("cpuMicrosPerHeader", micros(heat.whole().cpuNanos(), heat.headers()));
        node.put("brokerCpuMicrosPerHeader", micros(heat.whole().brokerCpuNanos(), heat.headers()));
        Usage steady = heat.steady();
        node.put("steadyCpuMicrosPerHeader", heat.steadyCpuMicros());
        node.put(
                "steadyBrokerCpuMicrosPerHeader",
                micros(steady.brokerCpuNanos(), heat.steadyHeaders()));
        node.put("allocatedBytesPerHeader", (double) steady.bytes() / heat.steadyHeaders());
        node.put("collections", steady.collections());
        node.put("collectionMillis", steady.collectionMillis());
        node.put("storedBytesInPerHeader", (double) heat.storedIn() / heat.headers());
        node.put("storedBytesOutPerHeader", (double) heat.storedOut() / heat.headers());
        node.put("bytesInPerHeader", (double) heat.bytesIn() / heat.headers());
        node.put("bytesOutPerHeader", (double) heat.bytesOut() / heat.headers());
        long headers = heat.steadyHeaders();
        Usage.describe(
                steady.cpuByGroup(), headers, node.putObject("steadyCpuNanosPerHeaderByGroup"));
        Usage.describe(
                steady.bytesByGroup(), headers, node.putObject("allocatedBytesPerHeaderByGroup"));
        ArrayNode seconds = node.putArray("headersBySecond");
        heat.windows().seconds().forEach(seconds::add);
    }

    private static double micros(long nanos, long headers) {
        return Usage.perHeader(nanos, headers) / 1e3;
    }

    /** Prints it for people. */
    public void print(PrintWriter out) {
        Heat own = heats.get(0);
        out.printf(
                "  %,d headers; written to Kafka at %.1f M/s beforehand%n"
                        + "  %.2f M headers/s from start to the last commit, %.2f M/s without the first quarter;"
                        + " first verdict after %.1f s, nine tenths of the full rate after %.0f s%n",
                own.headers(),
                producedPerSecond / MILLION,
                own.overall() / MILLION,
                own.steadyRate() / MILLION,
                own.windows().firstSeconds(),
                own.fullRateSeconds());
        Classified by = own.classified();
        if (by != null && by.byDevice() > 0) {
            out.println("  " + by.line());
        }
        out.printf(
                "  %.1f bytes a header in, %.1f out; the first quarter is left out from here on%n",
                (double) own.bytesIn() / own.headers(), (double) own.bytesOut() / own.headers());
        out.printf(
                "%n  %-12s %12s %14s %14s %14s %16s%n",
                "", "M headers/s", "ns CPU/header", "broker's", "heap B/header", "of this rate");
        for (Heat heat : heats) {
            Usage steady = heat.steady();
            out.printf(
                    "  %-12s %12.2f %14.1f %14.1f %14.1f %16s%n",
                    heat.name(),
                    heat.steadyRate() / MILLION,
                    1e3 * heat.steadyCpuMicros(),
                    1e3 * micros(steady.brokerCpuNanos(), heat.steadyHeaders()),
                    (double) steady.bytes() / heat.steadyHeaders(),
                    heat.name().equals(own.name())
                            ? ""
                            : "sluice makes %.2f".formatted(own.steadyRate() / heat.steadyRate()));
        }
        out.printf("%n  %-24s %14s %14s%n", "threads of sluice", "ns CPU/header", "heap B/header");
        long named = 0;
        for (Map.Entry<String, Long> group : own.steady().cpuByGroup().entrySet()) {
            named += group.getValue();
            out.printf(
                    "  %-24s %14.1f %14.1f%n",
                    group.getKey(),
                    (double) group.getValue() / own.steadyHeaders(),
                    (double) own.steady().bytesByGroup().getOrDefault(group.getKey(), 0L)
                            / own.steadyHeaders());
        }
        out.printf(
                "  %-24s %14.1f%n",
                "JVM, other",
                (double) Math.max(0, own.steady().cpuNanos() - named) / own.steadyHeaders());
        out.printf(
                "  garbage collection: %d times, %.2f s%n",
                own.steady().collections(), own.steady().collectionMillis() / 1e3);
        if (changes != null) {
            changes.print(out);
        }
        printDelays(out);
    }

    private void printDelays(PrintWriter out) {
        List<Delay> all = new ArrayList<>(delays);
        if (sustained != null) {
            all.add(sustained);
        }
        if (all.isEmpty()) {
            return;
        }
        out.printf(
                "%n  %12s %12s %12s %26s %26s %10s %7s%n",
                "M headers/s",
                "left",
                "max delay",
                "ms to verdict 50/99/100 %",
                "us in operator 50/99 %",
                "overdue",
                "fill");
        for (Delay delay : all) {
            out.printf(
                    "  %12.2f %12.2f %9d us %26s %26s %8.2f %% %7.2f%n",
                    delay.offered() / MILLION,
                    delay.judged() / MILLION,
                    delay.maxDelayMicros(),
                    delay.toVerdicts(),
                    "%.0f / %.0f".formatted(delay.operatorP50Micros(), delay.operatorP99Micros()),
                    100 * delay.overdue(),
                    delay.fill());
        }
    }

    /**
     * What {@value #SECONDS} holds: headers of each second, a column a contender, then for each the
     * cores that the job and its broker kept busy.
     */
    String secondsTable() {
        StringBuilder text = new StringBuilder("second");
        heats.forEach(heat -> text.append(',').append(heat.name()));
        for (Heat heat : heats) {
            text.append(',').append(heat.name()).append(" cores");
            text.append(',').append(heat.name()).append(" broker cores");
        }
        text.append('\n');
        int longest =
                heats.stream().mapToInt(heat -> heat.windows().seconds().size()).max().orElse(0);
        for (int second = 0; second < longest; second++) {
            text.append(String.format(Locale.ROOT, "%d", second));
            for (Heat heat : heats) {
                List<Long> seconds = heat.windows().seconds();
                text.append(',').append(second < seconds.size() ? seconds.get(second) : "");
            }
            for (Heat heat : heats) {
                text.append(cores(heat, second, Usage::cpuNanos));
                text.append(cores(heat, second, Usage::brokerCpuNanos));
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static String cores(Heat heat, int second, ToLongFunction<Usage> nanos) {
        if (second >= heat.seconds().size()) {
            return ",";
        }
        Usage used = heat.seconds().get(second);
        return String.format(Locale.ROOT, ",%.2f", nanos.applyAsLong(used) / (double) used.nanos());
    }
}
