#include "clearance/io/abaqus/abaqus_keywords.h"

#include <algorithm>
#include <iterator>

#include "clearance/io/mesh/abaqus_lines.h"

namespace clearance {
namespace {

/// Parameters are those that are read, and those that say how a program computes but not what: of solvers, contact
/// methods, and output.
constexpr AbaqusKeyword keywords[] = {
    {"*node", "nset,system"},
    {"*element", "type,elset"},
    {"*nset", "nset,generate,instance,elset,internal,unsorted"},
    {"*elset", "elset,generate,instance,internal"},
    {"*surface", "name,type,internal,definition"},
    {"*part", "name"},
    {"*assembly", "name"},
    {"*instance", "name,part"},
    {"*restart", "write,frequency,overlay,number interval,time marks"},
    {"*include", "input"},
    {"*material", "name"},
    {"*elastic", "type,moduli", 0, 3, true},
    {"*hyperelastic", "neo hooke,n,moduli", 0, 3, true},
    {"*density", "", 0, 2, true},
    {"*plastic", "hardening", 0, 3, true},
    {"*damping", "alpha,beta,structural,composite"},
    {"*solid section", "elset,material,orientation,controls,composite,stack direction", 1, 3},
    {"*shell section", "elset,material,orientation,offset,controls,composite,poisson,temperature,section integration",
     1, 2},
    {"*membrane section", "elset,material,orientation,offset,controls,composite,poisson", 1, 1},
    {"*beam section",
     "elset,material,orientation,offset,offset1,offset2,section,poisson,temperature,lumped,rotary inertia", 3, 3},
    {"*amplitude", "name,definition,time,value,smooth,shiftx,shifty,user", 0, 8, true},
    {"*boundary", "op,amplitude,type,fixed,submodel,user", 0, 4},
    {"*cload", "op,amplitude", 0, 3},
    {"*dload", "op,amplitude", 0, 9},
    {"*dsload", "op,amplitude", 0, 3},
    {"*initial conditions", "type", 0, 3},
    {"*contact pair",
     "interaction,type,adjust,small sliding,smooth,extension zone,cpset,mechanical constraint,no thickness,"
     "supplementary constraints,geometric correction,tracking,weight,hcrit",
     0, 2, true},
    {"*surface interaction", "name", 1, 1},
    {"*surface behavior", "pressure-overclosure,direct,penalty,augmented lagrange"},
    {"*contact property assignment", ""},
    {"*friction", "slip tolerance,elastic slip,lagrange", 1, 2, true},
    {"*rigid body", "ref node,rot node,nset,tie nset,elset"},
    {"*coupling", "ref node,surface,constraint name,orientation,influence radius"},
    {"*kinematic", ""},
    {"*distributing", ""},
    {"*tie", "name,position tolerance,adjust,type,no rotation,no thickness", 0, 2, true},
    {"*node print",
     "nset,frequency,frequencyf,totals,total,global,global coordinates,summary,time points,output,"
     "output all,mode,last mode"},
    {"*step",
     "name,nlgeom,inc,amplitude,perturbation,unsymm,solver,extrapolation,convert sdi,incf,thermal network,"
     "shock smoothing"},
    {"*static", "direct,solver,amplitude,stabilize,factor,allsdtol,continue,explicit", 1, 5},
    {"*dynamic",
     "direct,solver,amplitude,alpha,beta,gamma,haftol,half inc scale factor,nohaf,initial,singular mass,"
     "time integrator,application,relative to absolute",
     1, 5},
};

/// Calls visit(name) for each name of a list between commas.
template <class Visit>
void for_names(std::string_view list, const Visit& visit) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    visit(list.substr(at, comma - at));
    at = comma + 1;
  }
}

}  // namespace

const AbaqusKeyword* find_abaqus_keyword(std::string_view name) {
  const auto found = std::find_if(std::begin(keywords), std::end(keywords),
                                  [&](const AbaqusKeyword& k) { return name == without_blanks(k.name); });
  return found == std::end(keywords) ? nullptr : &*found;
}

bool may_have_parameter(const AbaqusKeyword& keyword, std::string_view parameter) {
  bool is_known = keyword.parameters == nullptr;
  if (!is_known) {
    const std::string name = without_blanks(parameter);
    for_names(keyword.parameters, [&](std::string_view one) { is_known = is_known || without_blanks(one) == name; });
  }
  return is_known;
}

std::string parameters_text(const AbaqusKeyword& keyword) {
  std::string text;
  for_names(keyword.parameters == nullptr ? "" : keyword.parameters, [&](std::string_view one) {
    text += text.empty() ? "" : ", ";
    std::transform(one.begin(), one.end(), std::back_inserter(text),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  });
  return text.empty() ? "none" : text;
}

}  // namespace clearance
