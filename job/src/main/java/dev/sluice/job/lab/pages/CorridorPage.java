package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** The whole job: packets topic to committed verdicts. */
final class CorridorPage implements BenchmarkPage {
    private static final String RAW = "corridor.json";
    private static final String DELAYS = "corridor-delays.json";
    private static final String LARGE = "corridor-16-cores.json";
    private static final String LONG = "corridor-16-cores-long.json";
    private static final String SCALE = "corridor-scale.json";
    private static final String DEVICES = "corridor-devices.json";
    private static final String LARGE_DELAYS = "corridor-16-cores-delays.json";

    @Override
    public String file() {
        return "corridor.md";
    }

    @Override
    public String text(RawFiles raw) {
        List<JsonNode> runs = raw.records(RAW);
        PageText page =
                new PageText(
                                "The whole job",
                                RAW,
                                DELAYS,
                                LARGE,
                                LARGE_DELAYS,
                                LONG,
                                SCALE,
                                DEVICES)
                        .say(
                                "PacketBlocks go from a Kafka topic through source, key by flow shard, classify and exactly-once sink;",
                                "VerdictBlocks are committed and read back. The broker is a process of its own; Flink and the reader share another,",
                                "and all share two cores. The blocks are written to Kafka before. The steady rate leaves out the first quarter of the",
                                "headers, in which the cluster starts and the JIT compiler works. In the same run, one after another: first a job with",
                                "a trivial verdict (keyed blocks, four bytes a header to the same sink), then the job, then Kafka's clients alone (as",
                                "many bytes as the verdicts have, in transactions), then the job as one would write it with Flink alone (one Avro",
                                "message a packet, `KeyedBroadcastProcessFunction`, 100 rules compared one by one). Two cores that others share; the",
                                "runs of 2026-11-26 on a Xeon with AVX-512 and nothing beside them. The third run alone of the first day has a block's",
                                "rules numbered as decision 0058 says, and a reader that looks at a block's count only.",
                                "",
                                "On two cores the JIT compiler works for more than a minute: of the first 55 s of a job it compiled methods of Kafka's",
                                "clients and of Flink for 44, and took a sixth of all CPU time. In the last six runs it had worked on 300 or 450 M headers of",
                                "another topic before. In the sixth verdicts name their packets' places instead of carrying numbers and times",
                                "(`--verdict-columns named`): 1.6 bytes a header come out instead of 7.5, fewer than the four of the trivial job. In the",
                                "seventh they carry them as differences (`deltas`), 2.5 bytes a header. The eighth is as the fifth, since decision 0106, the ninth since decision 0110, and so is the tenth, with names. Half of the broker's time is the system's, which",
                                "writes the verdicts' segments (0.8 ns a byte).")
                        .rerun(
                                "./sluice bench --corridor --corridor-headers 600000000 --compare --parallelism 2 --rules acl1_10k.rules.gz --trace acl1_10k_mix.trace.gz --json",
                                "./sluice bench --corridor --corridor-headers 450000000 --warm-headers 450000000 --compare [--verdict-columns named|deltas] ...",
                                "./sluice bench --corridor --corridor-headers 300000000 --latency 8 --line-rates 4 --parallelism 2 ...    # delays")
                        .table(
                                Column.table(
                                        runs,
                                        Column.of("rule set", "rules"),
                                        Column.of("rules", "ruleCount"),
                                        Column.of("parallelism", "parallelism"),
                                        Column.of("headers a block", "block"),
                                        Column.of("headers", "headers"),
                                        Column.of("measured", "measured"),
                                        Column.of("before, to warm up", "warmHeaders"),
                                        Column.of("columns of verdicts", "verdictColumns"),
                                        Column.of("M headers/s, start to last commit", "mpps"),
                                        Column.of("M headers/s, steady", "steadyMpps"),
                                        Column.of("first verdict after, s", "firstVerdictSeconds"),
                                        Column.of(
                                                "nine tenths of the full rate after, s",
                                                "fullRateSeconds"),
                                        Column.of("blocks written, M headers/s", "producedMpps")));
        for (int i = 0; i < runs.size(); i++) {
            page.section("Run " + (i + 1) + ", beside others").table(beside(runs.get(i)));
        }
        if (!runs.isEmpty()) {
            page.section("Where the time and the memory go")
                    .say(
                            "The last run, by threads: ns of CPU and bytes of the heap that they take a header, without the first quarter.")
                    .table(groups(runs.get(runs.size() - 1)));
        }
        page.section("Delays")
                .say(
                        "From the sending of a block's last packet to its verdicts' leaving the job, in ms of Kafka's clock, before their",
                        "transaction is committed; and from the classify operator's taking a block to its last verdict's leaving it. Packets come",
                        "by `sluice load`, a third process on the same two cores. The first three rows are 10, 50 and 90 % of what the job made in",
                        "that run (7.6 M headers/s: other work was beside it), the others rates of 10, 40 and 100 GbE with frames of 512 and",
                        "1,518 bytes. Until 2026-11-26 a block waited up to 100 ms for others to fill a network buffer with, since then as long as",
                        "a batch for headers ([0099](../decisions/0099-packets-leave-soon-for-their-subtask.md)): the last two runs are of that day, one",
                        "after the other, without other work. From 8 M headers/s on, load, broker and job have no core left, and packets queue;",
                        "there the second judged 5 and 7 % fewer.")
                .table(delays(raw.records(DELAYS)));
        return page.section("Sixteen cores and one H200")
                .say(
                        "Broker, Flink and reader share 16 cores with 300 MB of cache; packets and verdicts lie in memory; a commit a second, but two",
                        "seconds apart in the first row. The GPU classifies where `auto` measured it to be faster. Start-up and the reader's way behind",
                        "the job are in `start to last commit`, in its CPU time too. The rate does not grow beyond eight subtasks on acl1_10k.",
                        "No part of it is an average of several runs. On the second day another host of this kind was lent: the code of the day",
                        "before made 97 and 112 M headers/s of acl1_10k there, between runs that made 111 and 116. Since that day the bundle warms",
                        "the JIT compiler on another topic, and two threads read the verdicts, so that they do not lag behind. The rows of the third",
                        "day are from a third host, one run each; that of the fourth is from a host with an H100. Its verdicts name their packets",
                        "(`--verdict-columns named`): a header takes 0.145 µs of CPU time, broker and reader included, where rows with copied columns",
                        "and the JIT compiler warm take 0.19; cores are left over, and what holds it there was not found out. The last two rows are since",
                        "decision [0110](../decisions/0110-a-block-stays-where-it-was-fetched-to.md), on one more host with an H100.")
                .rerun(
                        "deploy/corridor/bundle --rules FOLDER",
                        "./run cpu; ./run device; ./run device --gpu off; ./run delays; ./run changes    # unpacked there")
                .table(
                        Column.table(
                                raw.records(LARGE),
                                Column.of("rule set", "rules"),
                                Column.of("measured", "measured"),
                                Column.of("GPU", "gpu"),
                                Column.of("parallelism", "parallelism"),
                                Column.of("partitions", "partitions"),
                                Column.of("columns of verdicts", "verdictColumns"),
                                Column.of("headers", "headers"),
                                Column.of("M headers/s, steady", "steadyMpps"),
                                Column.of("median second", "medianSecondMpps"),
                                Column.of("start to last commit", "mpps"),
                                Column.of(
                                        "nine tenths of the full rate after, s", "fullRateSeconds"),
                                Column.of("µs of CPU a header", "cpuMicrosPerHeader"),
                                Column.of("broker's", "brokerCpuMicrosPerHeader"),
                                Column.of("bytes in", "bytesInPerHeader"),
                                Column.of("bytes out", "bytesOutPerHeader")))
                .say(
                        "Delays there, of acl1_10k: one producer loads 35 to 37 M headers/s beside the job, so that the rows of the first day that",
                        "offer more show that rate; since then a load has a producer for 20 M headers/s, in the same process. In the operator a",
                        "hundredth of the blocks took 14 ms at the lowest rate of the second day, while the bench read the CPU time of every thread",
                        "twenty times a second in the same process; since it does so once a second, 4.0 ms (third day). Where buffers wait",
                        "for 2 ms first, the GPU judged almost all, which `auto` had measured to be faster in full batches; its way there",
                        "and back, with the JIT compiler still at work, is in the operator's times. Up to there the times in the operator are of the",
                        "first seconds of a rate, by mistake. The last nine rows have them of its last, and the share of all blocks that took longer",
                        "than the delay and half a millisecond: on the CPU, before and since decision",
                        "[0105](../decisions/0105-verdicts-leave-when-their-delay-is-over.md), on a host each (60 and 61 M headers/s at the highest), and since",
                        "[0110](../decisions/0110-a-block-stays-where-it-was-fetched-to.md) on a third (78). What is",
                        "overdue at a tenth of the highest rate comes in the seconds that have a checkpoint (one in two).",
                        "How rules that change bear on it is in [rule-changes.md](rule-changes.md).")
                .table(delays(raw.records(LARGE_DELAYS)))
                .section("Eight minutes under a load")
                .say(
                        "The same machine: `sluice load` has four cores of its own (the last five rows: three), broker, job and reader the others. What was",
                        "read is deleted. The load gives up what it is late by more than a second, so less comes than was asked for; some seconds in a",
                        "hundred bring half of the rate. openflow_128k is judged on other hosts, a header of it is 40 bytes on its way in. On the first, neither job nor",
                        "load was the limit: the load took 1.0 and 1.6 of its four cores, the twelve others were busy for 5.3 and 6.4 of them, and no",
                        "packet waited for a second. Requests waited for one another: the two runs on an H100 are of one machine, one after the other,",
                        "before and after sockets got the system's buffers (there: of 4 MiB), the broker more threads and the load a producer for each",
                        "10 M headers/s ([0094](../decisions/0094-sockets-as-the-system-makes-them.md)); with eight network threads alone 37.6 were judged.",
                        "The row behind has all of that as it is now, a producer for each 5 M headers/s among it, on a third host, where every third",
                        "second brings half of the rate, for a reason that was not found. On a fourth and a fifth, with an H100 each, it is the cores:",
                        "broker, job and reader were busy for 11.5 of their twelve, and for 12.0 of thirteen where the load had the other three and",
                        "used 2.0. At 0.28 µs of CPU a header for these (0.10 of them the broker's, for 40 bytes that come and go) thirteen cores make",
                        "46 M headers/s; the goal asks for 0.22. Verdicts that name their packets (three rows, two of them of one",
                        "machine, one after the other) change that little: what they spare",
                        "of a topic that was filled before, a quarter, is not spared here, where a header takes 0.284 µs and,",
                        "of fewer, with batches less full, 0.303; why was not found. With",
                        "100 M headers/s asked for, what came while the rules were compiled was deleted before it was read; since then the load",
                        "waits for the rules. On 32 cores of a host with 105 MB of cache and two H100, of which one was used, the load on 16 of them,",
                        "acl1_10k ended within two minutes at 104 M headers/s asked for: the job had fallen behind by more than 96 GB; openflow_128k",
                        "at 62 M had not caught up when its time was over.")
                .rerun(
                        "./run long 65M    # in the bundle",
                        "./run long-device 62M [--verdict-columns named]")
                .table(
                        Column.table(
                                raw.records(LONG),
                                Column.of("rule set", "rules"),
                                Column.of("GPU", "gpu"),
                                Column.of("columns of verdicts", "verdictColumns"),
                                Column.of("seconds", "seconds"),
                                Column.of("M headers/s asked for", "offeredMpps"),
                                Column.of("judged", "judgedMpps"),
                                Column.of("median second", "medianSecondMpps"),
                                Column.of("slowest second", "slowestSecondMpps"),
                                Column.of("ms to verdict, p50", "p50Millis"),
                                Column.of("p99", "p99Millis"),
                                Column.of("max", "maxMillis"),
                                Column.of("µs of CPU a header", "cpuMicrosPerHeader"),
                                Column.of("broker's", "brokerCpuMicrosPerHeader"),
                                Column.of("load's", "loaderCpuMicrosPerHeader")))
                .section("Several devices in one process")
                .say(
                        "openflow_128k as the bundle generates it, 200,000 distinct headers, on 32 cores with two H100. The first six rows are one session,",
                        "in turns: with 16 staging buffers a device, and with up to 64 since decision",
                        "[0121](../decisions/0121-grow-the-staging-pool-with-the-batches-under-way.md). Runs of 400 M headers last some",
                        "seconds, in which the JIT compiler still works. The next five rows are a second host, the next three a third. One GPU carries as much as",
                        "two: the cores are the limit. 24 subtasks make 9 to 13 % less than 12, with one GPU and with two: every part of the",
                        "way, the reader of the bench among them, takes 15 to 20 % more CPU time a header, and the CPU looks up one header in ten thousand.",
                        "In the last row a device fails when a third of the headers is judged, and twice does not open again. Its six subtasks",
                        "look up on the CPU for eight seconds, at 15 to 24 M headers/s for the whole job; a second later the rate is back.")
                .rerun(
                        "./run device --parallelism 12 --partitions 24 --gpu 0 --corridor-headers 1200000000 --warm-headers 300000000    # in the bundle",
                        "./run device --parallelism 12 --partitions 24 --gpu 0,1 --corridor-headers 900000000 --warm-headers 300000000 --lose-device 2")
                .table(
                        Column.table(
                                raw.records(DEVICES),
                                Column.of("GPUs", "devices"),
                                Column.of("parallelism", "parallelism"),
                                Column.of("partitions", "partitions"),
                                Column.of("staging buffers", "buffers"),
                                Column.of("headers", "headers"),
                                Column.of("M headers/s, steady", "steadyMpps"),
                                Column.of("median second", "medianSecondMpps"),
                                Column.of("share by the GPUs", "gpuShare"),
                                Column.of("µs of CPU a header", "steadyCpuMicrosPerHeader"),
                                new Column(
                                        "tries that did not open the lost device",
                                        r -> Digits.of(r.at("/lostDevice/failedOpenings")))))
                .section("Two TaskManagers against one")
                .say(
                        "Processes of `sluice cluster up`: a TaskManager has six cores of its own, broker, JobManager and reader share four; no GPU.",
                        "Two make 1.54, 1.58 and 1.59 times what one makes (by the median second 1.60, 1.74 and 1.65). A header takes 24, 33 and 17 % more CPU time by two:",
                        "each process has its own tables of 131,072 rules, and half of the packets cross from one to the other. The second pair has",
                        "flow shards that lie evenly among subtasks, on a faster host; in the third each TaskManager was warmed up by 150 M headers",
                        "instead of 60 M shared by all, which changes nothing: TaskManagers, JobManager and reader are busy for 5.8 and 10.8 cores.")
                .rerun("./run scale    # in the bundle")
                .table(
                        Column.table(
                                raw.records(SCALE),
                                Column.of("TaskManagers", "taskManagers"),
                                Column.of("measured", "measured"),
                                Column.of("rule set", "rules"),
                                Column.of("parallelism", "parallelism"),
                                Column.of("headers", "headers"),
                                Column.of("M headers/s, steady", "steadyMpps"),
                                Column.of("median second", "medianSecondMpps"),
                                Column.of("start to last commit", "mpps"),
                                Column.of("µs of CPU a header", "steadyCpuMicrosPerHeader"),
                                Column.of("broker's", "steadyBrokerCpuMicrosPerHeader")))
                .section("A thousand million headers a second, on paper")
                .say(
                        "From the rows of acl1_10k above, not measured: 19.0 bytes in and 7.5 bytes out a header are 152 and 60 Gbit/s of messages",
                        "beside what Kafka adds. One machine of 16 cores with broker and job makes 146 M headers/s; seven of them make 1,000 M, if",
                        "rules, state and start-up are each machine's own, as they are. By processes: 93 ns of CPU a header, the reader's and the",
                        "start's share among them, are 93 cores, 22 of them for brokers. Eight subtasks with 16 partitions carried 146 M: 56 subtasks",
                        "and 112 partitions. Brokers write 26.5 GB/s; with three replicas 80 GB/s, and 53 GB/s more between brokers: 100 GbE a",
                        "broker allows some 10 GB/s, so that eight brokers carry it without replicas and two dozen with three. Two TaskManagers on",
                        "one machine carry 1.6 times what one carries (above); on machines of their own it has not been measured.")
                .toString();
    }

    private static String delays(List<JsonNode> measured) {
        return Column.table(
                measured,
                Column.of("M headers/s", "offeredMpps"),
                Column.of("reached", "judgedMpps"),
                Column.of("max delay, µs", "maxDelayMicros"),
                Column.of("a buffer waits, ms", "bufferMillis"),
                Column.of("measured", "measured"),
                Column.of("ms to verdict, p50", "p50Millis"),
                Column.of("p99", "p99Millis"),
                Column.of("max", "maxMillis"),
                Column.of("µs in the operator, p50", "operatorP50Micros"),
                Column.of("p99", "operatorP99Micros"),
                Column.of("share overdue", "overdueShare"),
                Column.of("batch fill", "batchFill"));
    }

    /** All contenders of a run, the job first. */
    private static List<JsonNode> contenders(JsonNode run) {
        List<JsonNode> all = new ArrayList<>();
        all.add(run);
        run.path("beside").forEach(all::add);
        return all;
    }

    private static String name(JsonNode contender) {
        return contender.path("name").asText("sluice");
    }

    private static String beside(JsonNode run) {
        return Column.table(
                contenders(run),
                new Column("", CorridorPage::name),
                Column.of("headers", "headers"),
                Column.of("M headers/s, steady", "steadyMpps"),
                new Column(
                        "Sluice makes, times",
                        c -> Digits.of(run.path("timesTheRateOf").path(name(c)))),
                Column.of("µs of CPU a header", "steadyCpuMicrosPerHeader"),
                Column.of("broker's", "steadyBrokerCpuMicrosPerHeader"),
                Column.of("heap, bytes a header", "allocatedBytesPerHeader"),
                Column.of("bytes in", "bytesInPerHeader"),
                Column.of("bytes out", "bytesOutPerHeader"));
    }

    private static String groups(JsonNode run) {
        TreeSet<String> groups = new TreeSet<>();
        for (JsonNode contender : contenders(run)) {
            contender
                    .path("steadyCpuNanosPerHeaderByGroup")
                    .fieldNames()
                    .forEachRemaining(groups::add);
        }
        List<String> heads = new ArrayList<>(List.of("threads"));
        for (JsonNode contender : contenders(run)) {
            heads.add(name(contender) + ", ns");
            heads.add("bytes");
        }
        MarkdownTable table = new MarkdownTable(heads);
        for (String group : groups) {
            List<String> row = new ArrayList<>(List.of(group));
            for (JsonNode contender : contenders(run)) {
                row.add(Digits.of(contender.path("steadyCpuNanosPerHeaderByGroup").path(group)));
                row.add(Digits.of(contender.path("allocatedBytesPerHeaderByGroup").path(group)));
            }
            table.row(row);
        }
        return table.text();
    }
}
