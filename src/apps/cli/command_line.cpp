#include "apps/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <map>
#include <numbers>
#include <string_view>
#include <vector>

#include "apps/cli/ccd_bench.h"
#include "apps/cli/console.h"
#include "apps/cli/devices.h"
#include "apps/cli/export.h"
#include "apps/cli/gradient.h"
#include "apps/cli/info.h"
#include "apps/cli/mesh.h"
#include "apps/cli/modes.h"
#include "apps/cli/optimise.h"
#include "apps/cli/option_checks.h"
#include "apps/cli/render.h"
#include "apps/cli/run.h"
#include "apps/cli/study.h"
#include "apps/cli/sweep_commands.h"
#include "apps/cli/verify.h"
#include "apps/cli/view.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/schema.h"

namespace clearance::cli {
namespace {

const std::map<std::string, int> scene_formats = {
    {"auto", static_cast<int>(SceneFormat::automatic)},  {"clearance", static_cast<int>(SceneFormat::clearance)},
    {"ipc", static_cast<int>(SceneFormat::ipc)},         {"rigid-ipc", static_cast<int>(SceneFormat::rigid_ipc)},
    {"polyfem", static_cast<int>(SceneFormat::polyfem)}, {"abaqus", static_cast<int>(SceneFormat::abaqus)},
    {"urdf", static_cast<int>(SceneFormat::urdf)},       {"mjcf", static_cast<int>(SceneFormat::mjcf)}};

void add_scene_options(CLI::App& command, SceneOptions& options) {
  command.add_option("scene", options.scene, "scene file")->required();
  command.add_option("--format", options.format, "format of the scene file")
      ->transform(one_of(scene_formats))
      ->option_text("auto|clearance|ipc|rigid-ipc|polyfem|abaqus|urdf|mjcf");
  command
      .add_option("--set", options.overrides,
                  "change a value of the scene, for example --set time.step=0.01; --set bodies.type=affine|rigid "
                  "changes all stiff bodies")
      ->option_text("path=value")
      ->allow_extra_args(false)
      ->take_all();
  command.add_flag("--json", options.json, "print machine-readable results");
}

/// Returns the names of enumerators, as they are written in scenes.
template <NamedEnum Enum>
std::map<std::string, int> names_of() {
  std::map<std::string, int> names;
  for (const auto& known : EnumInfo<Enum>::values) names[std::string(known.name)] = static_cast<int>(known.value);
  return names;
}

void add_mesh_command(CLI::App& app, MeshOptions& mesh, int& status) {
  CLI::App* command = app.add_subcommand("mesh", "fill a bare surface with tetrahedra, or an outline with triangles");
  command->add_option("surface", mesh.surface, "mesh file of triangles; 2D: of edges")->required();
  command->add_option("-o,--output", mesh.output, ".msh or .vtu file to write, in metres, y up")->required();
  command
      ->add_option("--edge-length", mesh.edge_length,
                   "edge length of most elements [m] (default: a twentieth of the diagonal, a fifth with the options "
                   "below)")
      ->check(positive())
      ->option_text("L");
  command->add_option("--order", mesh.order, "above 1: curved tetrahedra whose boundary nodes lie on the surface")
      ->transform(one_of({{"1", 1}, {"2", 2}, {"3", 3}, {"4", 4}}))
      ->option_text("1|2|3|4");
  CLI::Option* tolerance =
      command
          ->add_option("--tolerance", mesh.tolerance,
                       "shorten edges until the surfaces are within this distance, as a fraction of the diagonal")
          ->check(positive())
          ->option_text("T");
  command->add_flag("--coarse", mesh.is_coarse, "the coarsest elements within a tolerance of 0.005")
      ->excludes(tolerance);
  command->add_option("--units", mesh.units, "unit of the numbers in the surface file (default: m)")
      ->transform(one_of(names_of<LengthUnit>()))
      ->option_text("m|dm|cm|mm|um|in|ft");
  command->add_option("--up", mesh.up, "axis that points up in the surface file (default: y)")
      ->transform(one_of(names_of<UpAxis>()))
      ->option_text("y|z");
  command->add_option("--dimension", mesh.dim, "2: outlines in the plane z = 0")
      ->transform(one_of({{"2", 2}, {"3", 3}}))
      ->option_text("2|3");
  command->add_flag("--overwrite", mesh.is_overwriting, "replace an existing file");
  command->add_flag("--json", mesh.json, "print machine-readable results");
  command->callback([&] { status = run_mesh(mesh); });
}

void add_export_command(CLI::App& app, ExportOptions& options, int& status) {
  CLI::App* command =
      app.add_subcommand("export", "write a run as a page for browsers, or in a format of other programs");
  command->add_option("folder", options.page.folder, "result folder")->required();
  command
      ->add_option("-o,--output", options.page.output,
                   "file to write: .html (any browser), .glb (glTF), .obj (a file per frame), .pc2 (Blender), .usda "
                   "(Universal Scene Description), .abc (Alembic), .xdmf (ParaView, with .h5), .frd (CalculiX)")
      ->required();
  command
      ->add_option("--max-size", options.page.max_megabytes,
                   ".html: size of the file [MB]; frames are left out evenly (default: 100)")
      ->check(positive())
      ->option_text("MB");
  command->add_flag("--exact", options.page.is_exact, ".html: numbers in single precision instead of 16 bits");
  command
      ->add_option("--frames", options.frames, "all but .html: these frames only, counted from 0, both ends included")
      ->option_text("FROM:TO:STEP");
  command
      ->add_option("--max-targets", options.max_targets,
                   ".glb: number of shapes of a deforming body after its first (default: 60)")
      ->check(whole_number(1))
      ->option_text("N");
  command
      ->add_option("--speed", options.speed,
                   ".glb, .pc2, .usda, .abc: seconds of the run that are shown in one second (default: 1)")
      ->check(positive())
      ->option_text("S");
  command->add_flag("--overwrite", options.is_overwriting, "replace existing files");
  command->add_flag("--json", options.json, "print machine-readable results");
  command->callback([command, &options, &status] {
    for (const char* option : {"--max-size", "--exact", "--frames", "--max-targets", "--speed"}) {
      if (command->count(option) > 0) options.given.emplace_back(option);
    }
    status = run_export(options);
  });
}

void add_view_command(CLI::App& app, ViewOptions& view, int& status) {
  CLI::App* command = app.add_subcommand("view", "show a run, finished or in progress, in a browser on this machine");
  command->add_option("folder", view.folder, "result folder")->required();
  command->add_option("--port", view.port, "port of this machine (default: a free one)")
      ->check(CLI::Range(0, 65535))
      ->option_text("PORT");
  command->callback([&] { status = run_view(view); });
}

void add_ccd_commands(CLI::App& app, CcdBenchOptions& bench, CcdLabelOptions& label, int& status) {
  CLI::App* command = app.add_subcommand("ccd-bench", "measure the time and the errors of collision detection methods");
  command->add_option("paths", bench.paths, "folders of queries, .csv or .ccd files")->required();
  command->add_option("--method", bench.methods, "only these methods")->delimiter(',')->option_text("M,...");
  command->add_option("--tolerance", bench.tolerance, "tolerance of the methods that have one [m]")->check(positive());
  command->add_option("--min-separation", bench.min_separation, "distance that counts as a hit, L-infinity norm [m]")
      ->check(not_negative());
  command->add_option("--max-iterations", bench.max_iterations, "iterations of a query")->check(whole_number(1));
  command->add_option("--max-queries", bench.max_queries, "queries of a set and kind, evenly spread; 0: all")
      ->check(whole_number(0));
  command->add_option("--passes", bench.num_passes, "times each query is measured; the smallest time counts")
      ->check(whole_number(1));
  command->add_option("--histogram", bench.histogram, "file for a picture of the times")->option_text("FILE.svg");
  command->add_flag("--json", bench.json, "print machine-readable results");
  command->callback([&] { status = run_ccd_bench(bench); });

  command = app.add_subcommand("ccd-label", "store queries with the answers of exact arithmetic");
  command->add_option("paths", label.paths, "folders of queries, .csv or .ccd files")->required();
  command->add_option("-o,--output", label.output, ".ccd file to write")->required();
  command->add_option("--threads", label.threads, "threads; 0: all processors")->check(whole_number(0));
  command->callback([&] { status = run_ccd_label(label); });
}

void add_run_command(CLI::App& app, RunOptions& run, int& status) {
  CLI::App* command = app.add_subcommand("run", "simulate a scene into a result folder");
  add_scene_options(*command, run.scene);
  command->add_option("-o,--output", run.output, "result folder (default: out/<scene>)");
  command->add_option("--steps", run.steps, "run this many steps in all")->check(whole_number(1));
  command->add_option("--threads", run.threads, "threads; 0: all processors")->check(whole_number(0));
  command->add_option("--device", run.device,
                      "device for collision detection: off, auto (a GPU where it is measured to be faster), or part of "
                      "a name or a number of `clearance devices`; the results are the same (default: off)");
  CLI::Option* resume = command->add_flag(
      "--resume", [&run](auto) { run.use = FolderUse::resume; }, "continue from the checkpoint in the result folder");
  command
      ->add_flag(
          "--overwrite", [&run](auto) { run.use = FolderUse::overwrite; }, "replace the result in the result folder")
      ->excludes(resume);
  command->add_flag("--strict", run.is_strict, "stop with status 3 at the first step that does not converge");
  command->add_flag("--view", run.is_shown, "show the run in a browser while it is in progress (see `clearance view`)");
  command->add_flag("-q,--quiet", run.is_quiet, "print problems only");
  command
      ->add_option("--controls", run.controls,
                   "result folder of a run whose values of `controls` are set again, step by step")
      ->excludes(resume);
  command->add_option("--record-ccd", run.record_ccd, "write the queries of collision detection to this .ccd file");
  command->add_option("--record-ccd-limit", run.record_ccd_limit, "queries to record at most, evenly spread")
      ->check(whole_number(1));
  command->callback([&run, &status] { status = run_simulation(run); });
}

void add_study_command(CLI::App& app, StudyOptions& study, int& status) {
  CLI::App* command = app.add_subcommand("study", "run a scene on finer meshes or with shorter steps, and compare");
  add_scene_options(*command, study.scene);
  command->add_option("--levels", study.num_levels, "number of runs, each twice as fine as the one before (default: 3)")
      ->check(whole_number(3))
      ->option_text("N");
  command->add_option("--refine", study.refinement, "what becomes finer (default: mesh)")
      ->transform(one_of({{"mesh", static_cast<int>(study::Refinement::mesh)},
                          {"step", static_cast<int>(study::Refinement::step)},
                          {"both", static_cast<int>(study::Refinement::both)}}))
      ->option_text("mesh|step|both");
  command
      ->add_option("--quantity", study.quantities, "column of probes.csv to compare, for example tip.y (default: all)")
      ->option_text("COLUMN")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("-o,--output", study.output, "folder that keeps the runs (default: a temporary one)");
  command->add_option("--threads", study.threads, "threads; 0: all processors")->check(whole_number(0));
  CLI::Option* resume = command->add_flag(
      "--resume", [&study](auto) { study.use = FolderUse::go_on; }, "complete the runs in the folder");
  command
      ->add_flag(
          "--overwrite", [&study](auto) { study.use = FolderUse::overwrite; }, "replace the runs in the folder")
      ->excludes(resume);
  command->callback([&study, &status] { status = run_study(study); });
}

void add_modes_command(CLI::App& app, ModesCommand& modes, int& status) {
  CLI::App* command = app.add_subcommand("modes", "find natural frequencies, or the loads that buckle a scene");
  add_scene_options(*command, modes.scene);
  command->add_option("--count", modes.count, "number of modes beside rigid motions (default: 6)")
      ->check(whole_number(1))
      ->option_text("K");
  command->add_flag("--buckling", modes.is_buckling,
                    "factors of the loads of a quasi-static scene at which they buckle it, instead of frequencies");
  command->add_option("-o,--output", modes.output, "folder to write the shapes of the modes to, as frames");
  command->add_flag("--overwrite", modes.is_overwriting, "replace the modes in the folder");
  command->add_option("--threads", modes.threads, "threads; 0: all processors")->check(whole_number(0));
  command->callback([&modes, &status] { status = run_modes(modes); });
}

void add_gradient_command(CLI::App& app, GradientCommand& gradient, int& status) {
  CLI::App* command = app.add_subcommand("gradient", "find the derivatives of probes by numbers of the scene");
  add_scene_options(*command, gradient.scene);
  command->add_option("--by", gradient.parameters, "number of the scene, for example bodies[0].material.youngs_modulus")
      ->option_text("PATH")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--of", gradient.columns, "column of probes.csv, for example tip.y (default: all)")
      ->option_text("COLUMN")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--steps", gradient.num_steps, "run this many steps (default: those of the scene)")
      ->check(whole_number(1));
  command->add_flag("--check", gradient.is_checked, "compare with differences of whole runs");
  command->add_flag(
      "--taylor", gradient.has_remainders,
      "also run with each number changed by 10 % to 0.01 %, and tell how far results are off the tangent");
  CLI::Option* reverse = command->add_flag(
      "--reverse", gradient.is_reverse,
      "reverse mode: derivatives after the last step, with -o also by starts, shapes and materials as fields.vtu");
  reverse->excludes("--check")->excludes("--taylor");
  command->add_option("--budget-mb", gradient.budget_mb, "memory of the states that --reverse keeps (default: 4096)")
      ->check(positive())
      ->option_text("MB")
      ->needs(reverse);
  command->add_option("-o,--output", gradient.output, "folder to write the derivatives of every step to, as tables");
  command->add_flag("--overwrite", gradient.is_overwriting, "replace the derivatives in the folder");
  command->add_option("--threads", gradient.threads, "threads; 0: all processors")->check(whole_number(0));
  command->callback(
      [&gradient, &status] { status = gradient.is_reverse ? run_reverse_gradient(gradient) : run_gradient(gradient); });
}

void add_optimise_command(CLI::App& app, OptimiseCommand& optimise, int& status) {
  CLI::App* command =
      app.add_subcommand("optimise", "fit numbers of a scene to measurements, or minimise an objective");
  command
      ->add_option("plan", optimise.plan, "plan of a fit or with an objective, or optimisation file of PolyFEM, JSON")
      ->required();
  command->add_option("-o,--output", optimise.output, "folder of the runs");
  CLI::Option* resume = command->add_flag(
      "--resume", [&optimise](auto) { optimise.use = FolderUse::go_on; }, "continue the runs in the folder");
  command
      ->add_flag(
          "--overwrite", [&optimise](auto) { optimise.use = FolderUse::overwrite; }, "replace the runs in the folder")
      ->excludes(resume);
  command
      ->add_option("--set", optimise.overrides,
                   "change a value of all scenes of a PolyFEM file, for example --set contact.kappa=0")
      ->type_name("path=value")
      ->allow_extra_args(false)
      ->take_all();
  command
      ->add_option("--smooth", optimise.smoothing_length,
                   "of a PolyFEM file: length [m] over which changes of a shape are smooth")
      ->check(positive());
  command->add_flag("--check", optimise.is_checked,
                    "of a PolyFEM file: compare derivatives at the start with differences of whole runs");
  command->add_flag("--json", optimise.json, "print machine-readable results");
  command->add_option("--threads", optimise.threads, "threads; 0: all processors")->check(whole_number(0));
  command->callback([&optimise, &status] { status = run_optimise(optimise); });
}

struct CheckOptions {
  SceneOptions scene;
  std::filesystem::path separated;
  bool is_overwriting = false;
};

void add_check_command(CLI::App& app, CheckOptions& check, int& status) {
  CLI::App* command = app.add_subcommand("check", "read and validate a scene without simulating it");
  add_scene_options(*command, check.scene);
  CLI::Option* separate =
      command->add_option("--separate", check.separated,
                          "move bodies apart that meet at the start, and write the scene to this file (native format)");
  command->add_flag("--overwrite", check.is_overwriting, "replace that file if it exists")->needs(separate);
  command->callback([&check, &status] { status = run_check(check.scene, check.separated, check.is_overwriting); });
}

struct ConvertOptions {
  SceneOptions scene;
  MatchMassOptions mass;
  std::filesystem::path output;
  bool is_overwriting = false;
};

void add_convert_command(CLI::App& app, ConvertOptions& convert, int& status) {
  CLI::App* command = app.add_subcommand("convert", "write a scene of any supported format as a native scene");
  add_scene_options(*command, convert.scene);
  command->add_option("-o,--output", convert.output, "native scene file to write")->required();
  command->add_flag("--overwrite", convert.is_overwriting, "replace an existing file");
  CLI::Option* fine = command
                          ->add_option("--match-mass", convert.mass.fine,
                                       "finer mesh of a body, with one density; the body's elements get densities that "
                                       "give it the same mass and centre of mass")
                          ->option_text("MESH");
  command->add_option("--body", convert.mass.body, "name of that body (default: the only deformable one)")->needs(fine);
  command->add_flag("--inertia", convert.mass.has_inertia, "match its moments of inertia, too")->needs(fine);
  command
      ->add_option("--least-density", convert.mass.least_density,
                   "smallest density of an element, as a fraction of the mean (default: 0.01)")
      ->check(positive())
      ->needs(fine);
  command->callback([&convert, &status] {
    status = run_convert(convert.scene, convert.mass, convert.output, convert.is_overwriting);
  });
}

void add_verify_command(CLI::App& app, VerifyOptions& verify, int& status) {
  CLI::App* command = app.add_subcommand("verify", "re-check all stored frames with exact arithmetic");
  command->add_option("folder", verify.folder, "result folder")->required();
  command->add_flag("--paths", verify.paths,
                    "prove every move between the frames too; the run needs `output.certificate`");
  command->add_flag("--json", verify.json, "print machine-readable results");
  command->callback([&verify, &status] { status = run_verify(verify); });
}

void add_info_command(CLI::App& app, InfoOptions& info, int& status) {
  CLI::App* command = app.add_subcommand("info", "print a table of steps, iterations, contacts and times");
  command->add_option("folder", info.folder, "result folder")->required();
  command->add_option("--rows", info.max_rows, "rows to print; 0: every step")->check(whole_number(0));
  command->add_option("--slow", info.num_slow, "explain the N slowest steps instead (5 without a number)")
      ->expected(0, 1)
      ->default_str("5")
      ->check(whole_number(0));
  command->add_flag("--json", info.json, "print machine-readable results");
  command->callback([&info, &status] { status = run_info(info); });
}

/// Options of `render` that are parsed after the command line.
struct RenderTexts {
  std::string size;
  CameraTexts camera;
  double angle_of_view = 0.0;  // [deg]; 0: not given
};

void add_camera_options(CLI::App& command, RenderOptions& render, RenderTexts& texts) {
  command.add_option("--from", texts.camera.from, "place of the camera [m]; default: where it sees everything")
      ->option_text("X,Y,Z");
  command.add_option("--at", texts.camera.at, "place in the middle of the picture [m]")->option_text("X,Y,Z");
  command.add_option("--view", texts.camera.view, "side that everything is seen from")
      ->option_text("front|back|left|right|top|bottom");
  command.add_option("--fov", texts.angle_of_view, "angle of view along the shorter side [deg]")
      ->check(CLI::Range(0.1, 150.0))
      ->option_text("DEG");
  command.add_option("--follow", render.follow, "body that the camera goes along with")->option_text("BODY");
  command
      .add_option("--turntable", render.turns, "turns that the camera of a film goes around (negative: the other way)")
      ->option_text("TURNS");
}

void add_render_command(CLI::App& app, RenderOptions& render, RenderTexts& texts, int& status) {
  CLI::App* command = app.add_subcommand("render", "make a ray-traced picture or film of a result");
  command->add_option("folder", render.folder, "result folder")->required();
  command->add_option("-o,--output", render.output, "OUT.png: one frame; OUT.mp4: a film")->required();
  command->add_option("--frame", render.frame, "frame of a picture, from 0; negative: from the end");
  command->add_option("--size", texts.size, "pixels, for example 1280x720");
  command
      ->add_option("--color", render.color,
                   "quantity that colours show: body, displacement from the first frame (where elements adapt: from "
                   "rest), stress (von_mises), pressure (contact_pressure), or the name of an array of the frames")
      ->option_text("body|velocity|displacement|stress|pressure|NAME");
  command->add_flag("--edges", render.has_edges,
                    "draw the edges of surface triangles (2D: of elements), except those of obstacles");
  add_camera_options(*command, render, texts);
  command->callback([&render, &texts, &status] {
    Issues issues;
    const auto note = [&](const Result<Done>& parsed) {
      issues.insert(issues.end(), parsed.issues().begin(), parsed.issues().end());
    };
    if (!texts.size.empty()) note(parse_size(texts.size, render));
    note(parse_camera(texts.camera, render));
    if (texts.angle_of_view > 0.0) render.camera.angle_of_view = texts.angle_of_view * std::numbers::pi / 180.0;
    status = issues.empty() ? run_render(render) : refuse(issues);
  });
}

void add_devices_command(CLI::App& app, DevicesOptions& devices, int& status) {
  CLI::App* command = app.add_subcommand("devices", "list the devices that `run --device` can use");
  command->add_flag("--json", devices.json, "print machine-readable results");
  command->callback([&devices, &status] { status = run_devices(devices); });
}

void add_schema_command(CLI::App& app, bool& is_reference) {
  CLI::App* command = app.add_subcommand("schema", "print the JSON Schema of native scenes");
  command->add_flag("--reference", is_reference, "print the reference documentation instead");
  command->callback([&is_reference] { std::cout << (is_reference ? scene_reference() : scene_schema()); });
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app{"Clearance simulates bodies in contact: surfaces never intersect, elements never invert.", "clearance"};
  app.set_version_flag("--version", std::string("clearance ") + CLEARANCE_VERSION);
  app.require_subcommand(1);
  // The commands keep references to their options, and the one that is given sets the status.
  int status = exit_done;
  RunOptions run;
  add_run_command(app, run, status);
  StudyOptions study;
  add_study_command(app, study, status);
  OptimiseCommand optimise;
  add_optimise_command(app, optimise, status);
  GradientCommand gradient;
  add_gradient_command(app, gradient, status);
  ModesCommand modes;
  add_modes_command(app, modes, status);
  CheckOptions check;
  add_check_command(app, check, status);
  ConvertOptions convert;
  add_convert_command(app, convert, status);
  MeshOptions mesh;
  add_mesh_command(app, mesh, status);
  VerifyOptions verify;
  add_verify_command(app, verify, status);
  InfoOptions info;
  add_info_command(app, info, status);
  RenderOptions render;
  RenderTexts render_texts;
  add_render_command(app, render, render_texts, status);
  ExportOptions exported;
  add_export_command(app, exported, status);
  ViewOptions view;
  add_view_command(app, view, status);
  SweepCommands sweep;
  add_sweep_commands(app, sweep, status);
  CcdBenchOptions bench;
  CcdLabelOptions label;
  add_ccd_commands(app, bench, label, status);
  bool is_reference = false;
  DevicesOptions devices;
  add_devices_command(app, devices, status);
  add_schema_command(app, is_reference);

  // `clearance help run` is `clearance run --help`.
  std::vector<const char*> words(argv, argv + argc);
  if (argc > 1 && words[1] == std::string_view("help")) {
    words.erase(words.begin() + 1);
    words.push_back("--help");
  }
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    // Help and version are no errors; everything else is bad usage.
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << "error: " << usage_problem(app, error, argc, argv) << "; see --help\n";
    return exit_bad_input;
  }
  return status;
}

}  // namespace clearance::cli
