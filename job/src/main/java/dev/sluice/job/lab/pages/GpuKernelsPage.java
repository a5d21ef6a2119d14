package dev.sluice.job.lab.pages;

import java.util.List;

/** Look-ups with headers and verdicts in device memory. */
final class GpuKernelsPage implements BenchmarkPage {
    private static final String RAW = "gpu.json";

    @Override
    public String file() {
        return "gpu.md";
    }

    @Override
    public String text(RawFiles raw) {
        List<GpuWorkload> workloads = GpuWorkload.of(raw.records(RAW));
        return new PageText("Look-ups on a GPU", RAW)
                .say(
                        "One NVIDIA H200 (132 multiprocessors, driver 580, CUDA 13), 16 cores of its host, JDK 17, JCuda 12.6, measured",
                        "2026-11-22. Headers and verdicts are in device memory; a rate is the median of 15 launches by events after 4 to",
                        "warm up; headers are drawn at random from the trace; every verdict is compared with the CPU's.")
                .say(
                        "The floor of a row is the longer of two times of the same run: that of a kernel that only reads the same headers",
                        "and writes a word, and that of as many random reads as the look-ups make in memory of the image's size. The",
                        "reads are counted: the kernels of `counted.ptx` count the 32-byte sectors that the lanes of a warp ask for.",
                        "The floor takes every read to miss the first-level cache; below 1 that cache answers a share. Time over floor is",
                        "computed here.")
                .say(
                        "A launch of 65,536 headers `alone` takes 13 to 19 µs, half of them the host's to hand it over. `in turn` are 16",
                        "launches of one stream, queued behind others that keep the device busy: the device's own rate. `8 at once` are 64",
                        "launches on eight streams, timed by the clock from the first to the end of the last: the host's thread sets the pace.")
                .rerun(
                        "deploy/gpu/bundle --rules FOLDER      # FOLDER holds rule sets and traces",
                        "./run gpu measure --folder rules --out OUT   # on the GPU's host, in the unpacked archive")
                .section("Rule sets, with the algorithm that auto takes")
                .table(GpuWorkload.table(workloads.stream().filter(GpuKernelsPage::isSet).toList()))
                .section("Other workloads")
                .table(
                        GpuWorkload.table(
                                workloads.stream()
                                        .filter(
                                                w ->
                                                        !isSet(w)
                                                                && !GpuPapersPage.isOfAPaper(
                                                                        w.name()))
                                        .toList()))
                .toString();
    }

    /** Rule sets have names without blanks. */
    private static boolean isSet(GpuWorkload workload) {
        return workload.name().indexOf(' ') < 0 && !GpuPapersPage.isOfAPaper(workload.name());
    }
}
